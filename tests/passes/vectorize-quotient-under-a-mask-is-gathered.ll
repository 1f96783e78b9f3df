; Under a mask an item that is not there has no address that means anything: no part of a vector is read from it.
; RUN-PASS: vectorize --march=x86-64-v3
; CHECK: masked.store
; CHECK-NOT: <4 x float>
define void @f(ptr noalias %x, ptr noalias %y, i64 %n) {
entry:
  br label %head
head:
  %i = phi i64 [ 0, %entry ], [ %next, %latch ]
  %more = icmp slt i64 %i, %n
  br i1 %more, label %body, label %done
body:
  %c = getelementptr float, ptr %y, i64 %i
  %old = load float, ptr %c, align 4
  %is = fcmp ogt float %old, 0.0
  br i1 %is, label %then, label %latch
then:
  %j = add nsw i64 %i, 1
  %at = lshr i64 %j, 1
  %p = getelementptr float, ptr %x, i64 %at
  %v = load float, ptr %p, align 4
  %s = fmul float %v, %v
  %q = getelementptr float, ptr %y, i64 %i
  store float %s, ptr %q, align 4
  br label %latch
latch:
  %next = add nsw i64 %i, 1
  br label %head, !kdsl.items !0
done:
  ret void
}
!0 = !{}
