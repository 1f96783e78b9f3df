; An atomic store under a condition is made by each item that comes to it, lane by lane.
; RUN-PASS: vectorize --march=x86-64-v3
; CHECK: vectors:
; CHECK: fdiv <8 x float>
; CHECK: lane{{[0-9]*}}:
; CHECK: store atomic float {{%.*}} monotonic, align 4
; CHECK-NOT: store <8 x float>
define void @f(ptr noalias %x, ptr noalias %y, i64 %n) {
entry:
  br label %head
head:
  %i = phi i64 [ 0, %entry ], [ %next, %latch ]
  %more = icmp slt i64 %i, %n
  br i1 %more, label %body, label %done
body:
  %p = getelementptr float, ptr %x, i64 %i
  %f = load float, ptr %p, align 4
  %d0 = fdiv float %f, 3.0
  %e0 = fadd float %d0, %f
  %d1 = fdiv float %e0, 3.0
  %e1 = fadd float %d1, %f
  %d2 = fdiv float %e1, 3.0
  %e2 = fadd float %d2, %f
  %d3 = fdiv float %e2, 3.0
  %e3 = fadd float %d3, %f
  %d4 = fdiv float %e3, 3.0
  %e4 = fadd float %d4, %f
  %c = fcmp ogt float %f, 1.0
  br i1 %c, label %then, label %latch
then:
  %q = getelementptr float, ptr %y, i64 %i
  store atomic float %e4, ptr %q monotonic, align 4
  br label %latch
latch:
  %next = add nsw i64 %i, 1
  br label %head, !kdsl.items !0
done:
  ret void
}
!0 = !{}
