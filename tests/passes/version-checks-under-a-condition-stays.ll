; Not every item makes this check, so an item that would fail it may never come there: the nest stays as it is.
; RUN-PASS: version-checks --march=x86-64-v3
; CHECK-NOT: holds:
; CHECK: icmp ult i64 %at, %size
; CHECK-NOT: icmp ult
define void @f(ptr noalias %x, ptr noalias %y, i64 %size, i64 %n) {
entry:
  br label %head
head:
  %i = phi i64 [ 0, %entry ], [ %next, %latch ]
  %more = icmp slt i64 %i, %n
  br i1 %more, label %body, label %done
body:
  %q = getelementptr float, ptr %y, i64 %i
  %old = load float, ptr %q, align 4
  %c = fcmp ogt float %old, 0.0
  br i1 %c, label %wanted, label %latch
wanted:
  %at = add i64 %i, 1
  %ok = icmp ult i64 %at, %size
  br i1 %ok, label %inside, label %outside
inside:
  %p = getelementptr float, ptr %x, i64 %at
  %v = load float, ptr %p, align 4
  store float %v, ptr %q, align 4
  br label %latch
latch:
  %next = add nuw nsw i64 %i, 1
  br label %head, !kdsl.items !0
outside:
  ret void
done:
  ret void
}
!0 = !{}
