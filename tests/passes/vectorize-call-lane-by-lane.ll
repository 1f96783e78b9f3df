; Amid enough other work, a call without a vector form is made for each lane.
; RUN-PASS: vectorize --march=x86-64-v3
; CHECK: vectors:
; CHECK-COUNT-8: call float @outside(float
; CHECK: fdiv <8 x float>
define void @f(ptr noalias %x, i64 %n) {
entry:
  br label %head
head:
  %i = phi i64 [ 0, %entry ], [ %next, %latch ]
  %more = icmp slt i64 %i, %n
  br i1 %more, label %body, label %done
body:
  %p = getelementptr float, ptr %x, i64 %i
  %v = load float, ptr %p, align 4
  %s = call float @outside(float %v) memory(none)
  %d0 = fdiv float %s, %v
  %e0 = fadd float %d0, %s
  %d1 = fdiv float %d0, %v
  %e1 = fadd float %d1, %s
  %d2 = fdiv float %d1, %v
  %e2 = fadd float %d2, %s
  %d3 = fdiv float %d2, %v
  %e3 = fadd float %d3, %s
  %d4 = fdiv float %d3, %v
  %e4 = fadd float %d4, %s
  %d5 = fdiv float %d4, %v
  %e5 = fadd float %d5, %s
  %t = fadd float %d5, %e5
  store float %t, ptr %p, align 4
  br label %latch
latch:
  %next = add nsw i64 %i, 1
  br label %head, !kdsl.items !0
done:
  ret void
}
declare float @outside(float)
!0 = !{}
