; What is the same for all items is computed once, as one number, and spread over the lanes.
; RUN-PASS: vectorize --march=x86-64-v4
; CHECK: vectors:
; CHECK: [[ONE:%.*]] = fdiv float %a, %b
; CHECK-NOT: fdiv
; CHECK: insertelement <16 x float> poison, float [[ONE]]
; CHECK: fmul <16 x float>
; CHECK-NOT: fdiv <16 x float>
define void @f(ptr noalias %x, float %a, float %b, i64 %n) {
entry:
  br label %head
head:
  %i = phi i64 [ 0, %entry ], [ %next, %latch ]
  %more = icmp slt i64 %i, %n
  br i1 %more, label %body, label %done
body:
  %s = fdiv float %a, %b
  %f = sitofp i64 %i to float
  %m = fmul float %f, %s
  %p = getelementptr float, ptr %x, i64 %i
  store float %m, ptr %p, align 4
  br label %latch
latch:
  %next = add nsw i64 %i, 1
  br label %head, !kdsl.items !0
done:
  ret void
}
!0 = !{}
