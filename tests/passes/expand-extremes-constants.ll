; A constant is a number, and one that is not zero, or for max not -0, decides the order of zeros: one comparison.
; RUN-PASS: expand-extremes
define float @relu(float %a) {
; CHECK-LABEL: @relu(
; CHECK-NEXT: [[GREATER:%[0-9]+]] = fcmp ogt float %a, 0.000000e+00
; CHECK-NEXT: [[R:%[0-9]+]] = select i1 [[GREATER]], float %a, float 0.000000e+00
; CHECK-NEXT: ret float [[R]]
  %r = call float @llvm.maximumnum.f32(float 0.0, float %a)
  ret float %r
}
define <4 x float> @saturate(<4 x float> %a) {
; CHECK-LABEL: @saturate(
; CHECK-NEXT: fcmp olt <4 x float> %a, splat (float 2.550000e+02)
; CHECK-NEXT: select
; CHECK-NEXT: ret
  %r = call <4 x float> @llvm.minimumnum.v4f32(<4 x float> %a, <4 x float> splat (float 255.0))
  ret <4 x float> %r
}
define float @zeros_matter(float %a) {
; CHECK-LABEL: @zeros_matter(
; CHECK: fcmp oeq
  %r = call float @llvm.maximumnum.f32(float %a, float -0.0)
  %s = call float @llvm.minimumnum.f32(float %r, float 0.0)
  ret float %s
}
define float @nan(float %a) {
; CHECK-LABEL: @nan(
; CHECK: fcmp uno float %a, %a
  %r = call float @llvm.maximumnum.f32(float 0x7FF8000000000000, float %a)
  ret float %r
}
declare float @llvm.maximumnum.f32(float, float)
declare float @llvm.minimumnum.f32(float, float)
declare <4 x float> @llvm.minimumnum.v4f32(<4 x float>, <4 x float>)
