; What is read in the nest is not known before it.
; RUN-PASS: version-indices --march=x86-64-v3
; CHECK-NOT: fails:
; CHECK: add i32
; CHECK-NOT: fails:
define void @f(ptr noalias %x, ptr noalias %y, i32 %w, i64 %n) {
entry:
  br label %head
head:
  %i = phi i64 [ 0, %entry ], [ %next, %latch ]
  %more = icmp slt i64 %i, %n
  br i1 %more, label %body, label %done
body:
  %q32 = trunc i64 %i to i32
  %m = load i32, ptr %y, align 4
  %sum = add i32 %q32, %m
  %at = sext i32 %sum to i64
  %p = getelementptr float, ptr %x, i64 %at
  %v = load float, ptr %p, align 4
  %q = getelementptr float, ptr %y, i64 %i
  store float %v, ptr %q, align 4
  br label %latch
latch:
  %next = add nuw nsw i64 %i, 1
  br label %head, !kdsl.items !0
done:
  ret void
}
!0 = !{}
