; Elements a constant number of places apart are gathered on AVX-512, from one address and constant offsets.
; RUN-PASS: vectorize --march=x86-64-v4
; CHECK: vectors:
; CHECK: [[AT:%.*]] = getelementptr i8, ptr {{%.*}}, <16 x i64> <i64 0, i64 28, i64 56,
; CHECK-NEXT: call <16 x float> @llvm.masked.gather.v16f32.v16p0(<16 x ptr> align 4 [[AT]], <16 x i1> splat (i1 true)
; CHECK: store <16 x float>
define void @f(ptr noalias %x, ptr noalias %y, i64 %n) {
entry:
  br label %head
head:
  %i = phi i64 [ 0, %entry ], [ %next, %latch ]
  %more = icmp slt i64 %i, %n
  br i1 %more, label %body, label %done
body:
  %at = mul nsw i64 %i, 7
  %p = getelementptr float, ptr %x, i64 %at
  %v = load float, ptr %p, align 4
  %s = fmul float %v, %v
  %t = fadd float %s, %v
  %q = getelementptr float, ptr %y, i64 %i
  store float %t, ptr %q, align 4
  br label %latch
latch:
  %next = add nsw i64 %i, 1
  br label %head, !kdsl.items !0
done:
  ret void
}
!0 = !{}
