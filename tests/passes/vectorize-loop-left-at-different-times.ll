; A loop that items leave at different times runs until the last has left; each keeps what it had then. All lanes that were
; live before the branch store their value, so that no mask of the lanes that leave is needed.
; RUN-PASS: vectorize --march=x86-64-v4
; CHECK: vectors:
; CHECK: [[GO:%.*]] = fcmp ogt <16 x float> {{%.*}}, splat (float 1.000000e+00)
; CHECK: select <16 x i1> [[LIVE:%.*]], <16 x i1> [[GO]], <16 x i1> zeroinitializer
; CHECK: select <16 x i1> [[LIVE]], <16 x float> {{%.*}}, <16 x float>
; CHECK: call i1 @llvm.vector.reduce.or.v16i1(
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
  br label %loop
loop:
  %u = phi float [ %v, %body ], [ %h, %loop ]
  %h = fmul float %u, 0.5
  %go = fcmp ogt float %h, 1.0
  br i1 %go, label %loop, label %out
out:
  store float %h, ptr %p, align 4
  br label %latch
latch:
  %next = add nsw i64 %i, 1
  br label %head, !kdsl.items !0
done:
  ret void
}
!0 = !{}
