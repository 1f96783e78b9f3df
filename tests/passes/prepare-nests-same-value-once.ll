; A value that is computed twice in a block is computed once, and dead blocks go.
; RUN-PASS: prepare-nests --march=x86-64-v3
define void @f(ptr noalias %x, i64 %n) {
; CHECK-LABEL: define void @f(
; CHECK: getelementptr
; CHECK-NOT: getelementptr
; CHECK: store float
; CHECK-NOT: dead:
entry:
  br label %head
head:
  %i = phi i64 [ 0, %entry ], [ %next, %latch ]
  %more = icmp slt i64 %i, %n
  br i1 %more, label %body, label %done
body:
  %p = getelementptr float, ptr %x, i64 %i
  %v = load float, ptr %p, align 4
  %w = fadd float %v, 1.0
  %q = getelementptr float, ptr %x, i64 %i
  store float %w, ptr %q, align 4
  br label %latch
latch:
  %next = add nsw i64 %i, 1
  br label %head, !kdsl.items !0
dead:
  br label %dead
done:
  ret void
}
!0 = !{}
