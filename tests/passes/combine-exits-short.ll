; A loop of a few iterations is unrolled completely, by LLVM.
; RUN-PASS: combine-exits --offload-arch=sm_80
define float @dot(ptr noalias readonly %column, ptr noalias readonly %x, ptr %slot, i64 %n) {
; CHECK-LABEL: @dot(
; CHECK-NOT: or i1
; CHECK-NOT: rest:
; CHECK: ret float
entry:
  br label %head
head:
  %e = phi i64 [ 0, %entry ], [ %e.next, %ok ]
  %sum = phi float [ 0.0, %entry ], [ %sum.next, %ok ]
  %more = icmp slt i64 %e, 7
  br i1 %more, label %body, label %done
body:
  %p = getelementptr inbounds i64, ptr %column, i64 %e
  %c = load i64, ptr %p
  %outside = icmp uge i64 %c, %n
  br i1 %outside, label %fail, label %ok
fail:
  call void @kdsl.report(ptr %slot, ptr %slot)
  br label %done
ok:
  %q = getelementptr inbounds float, ptr %x, i64 %c
  %v = load float, ptr %q
  %sum.next = fadd float %sum, %v
  %e.next = add nsw i64 %e, 1
  br label %head
done:
  %result = phi float [ %sum, %head ], [ 0.0, %fail ]
  ret float %result
}
declare void @kdsl.report(ptr, ptr) #0
attributes #0 = { cold noinline nounwind }
