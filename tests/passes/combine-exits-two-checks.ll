; An index of an index: what is behind the first check of four iterations is read when all four have passed it, and then
; the second checks are one branch.
; RUN-PASS: combine-exits --offload-arch=sm_80
define float @twice(ptr noalias readonly %a, ptr noalias readonly %b, ptr noalias readonly %x, ptr %slot, i64 %end, i64 %n, i64 %m) {
; CHECK-LABEL: @twice(
; CHECK: load i64
; CHECK: load i64
; CHECK: load i64
; CHECK: load i64
; CHECK: br i1 {{.*}}, label %rest, label
; CHECK: load i64
; CHECK: load i64
; CHECK: load i64
; CHECK: load i64
; CHECK: br i1 {{.*}}, label %rest, label
; CHECK: load float
; CHECK: load float
; CHECK: load float
; CHECK: load float
; CHECK: rest:
entry:
  br label %head
head:
  %e = phi i64 [ 0, %entry ], [ %e.next, %ok2 ]
  %sum = phi float [ 0.0, %entry ], [ %sum.next, %ok2 ]
  %more = icmp slt i64 %e, %end
  br i1 %more, label %body, label %done
body:
  %p = getelementptr inbounds i64, ptr %a, i64 %e
  %i = load i64, ptr %p
  %outside = icmp uge i64 %i, %n
  br i1 %outside, label %fail, label %ok
fail:
  call void @kdsl.report(ptr %slot, ptr %slot)
  br label %done
ok:
  %q = getelementptr inbounds i64, ptr %b, i64 %i
  %k = load i64, ptr %q
  %outside2 = icmp uge i64 %k, %m
  br i1 %outside2, label %fail2, label %ok2
fail2:
  call void @kdsl.report(ptr %slot, ptr %slot)
  br label %done
ok2:
  %r = getelementptr inbounds float, ptr %x, i64 %k
  %v = load float, ptr %r
  %sum.next = fadd float %sum, %v
  %e.next = add nsw i64 %e, 1
  br label %head
done:
  %result = phi float [ %sum, %head ], [ 0.0, %fail ], [ 1.0, %fail2 ]
  ret float %result
}
declare void @kdsl.report(ptr, ptr) #0
attributes #0 = { cold noinline nounwind }
