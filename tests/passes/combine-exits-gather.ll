; The indices of 16 iterations are loaded and compared together, then those of four; a block in which one is outside is
; left to the loop.
; RUN-PASS: combine-exits --offload-arch=sm_80
; RUN-PASS: combine-exits --offload-arch=gfx90a
define float @dot(ptr noalias readonly %column, ptr noalias readonly %x, ptr %slot, i32 %end, i64 %n) {
; CHECK-LABEL: @dot(
; CHECK: and i32 {{.*}}, -16
; CHECK: load i32
; CHECK: load i32
; CHECK: load i32
; CHECK: load i32
; CHECK: load i32
; CHECK: load i32
; CHECK: load i32
; CHECK: load i32
; CHECK: load i32
; CHECK: load i32
; CHECK: load i32
; CHECK: load i32
; CHECK: load i32
; CHECK: load i32
; CHECK: load i32
; CHECK: load i32
; CHECK: or i1
; CHECK: or i1
; CHECK: or i1
; CHECK: or i1
; CHECK: or i1
; CHECK: or i1
; CHECK: or i1
; CHECK: or i1
; CHECK: or i1
; CHECK: or i1
; CHECK: or i1
; CHECK: or i1
; CHECK: or i1
; CHECK: or i1
; CHECK: or i1
; CHECK: br i1 {{.*}}, label %rest, label
; CHECK: load float
; CHECK: load float
; CHECK: load float
; CHECK: load float
; CHECK: load float
; CHECK: load float
; CHECK: load float
; CHECK: load float
; CHECK: load float
; CHECK: load float
; CHECK: load float
; CHECK: load float
; CHECK: load float
; CHECK: load float
; CHECK: load float
; CHECK: load float
; CHECK: rest:
; CHECK: and i32 {{.*}}, -4
; CHECK: load i32
; CHECK: load i32
; CHECK: load i32
; CHECK: load i32
; CHECK: or i1
; CHECK: or i1
; CHECK: or i1
; CHECK: br i1 {{.*}}, label %rest{{[0-9]+}}, label
; CHECK: load float
; CHECK: load float
; CHECK: load float
; CHECK: load float
; CHECK: head:
; CHECK: load i32
; CHECK: call void @kdsl.report
entry:
  br label %head
head:
  %e = phi i32 [ 0, %entry ], [ %e.next, %ok ]
  %sum = phi float [ 0.0, %entry ], [ %sum.next, %ok ]
  %more = icmp slt i32 %e, %end
  br i1 %more, label %body, label %done
body:
  %at = zext nneg i32 %e to i64
  %p = getelementptr inbounds i32, ptr %column, i64 %at
  %c = load i32, ptr %p
  %c64 = sext i32 %c to i64
  %outside = icmp uge i64 %c64, %n
  br i1 %outside, label %fail, label %ok
fail:
  call void @kdsl.report(ptr %slot, ptr %slot)
  br label %done
ok:
  %q = getelementptr inbounds float, ptr %x, i64 %c64
  %v = load float, ptr %q
  %sum.next = fadd float %sum, %v
  %e.next = add nsw i32 %e, 1
  br label %head
done:
  %result = phi float [ %sum, %head ], [ 0.0, %fail ]
  ret float %result
}
declare void @kdsl.report(ptr, ptr) #0
attributes #0 = { cold noinline nounwind }
