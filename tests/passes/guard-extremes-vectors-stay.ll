; Vectors have no such short cut in LLVM, and llvm.minimum and llvm.minnum mean something else: they stay as they are.
; RUN-PASS: guard-extremes --march=x86-64-v4
define <4 x float> @vector(<4 x float> %a, <4 x float> %b) {
; CHECK-LABEL: @vector(
; CHECK-NEXT: %r = call <4 x float> @llvm.minimumnum.v4f32(<4 x float> %a, <4 x float> %b)
  %r = call <4 x float> @llvm.minimumnum.v4f32(<4 x float> %a, <4 x float> %b)
  ret <4 x float> %r
}
define float @others(float %a, float %b) {
; CHECK-LABEL: @others(
; CHECK-NEXT: %r = call float @llvm.minimum.f32(float %a, float %b)
; CHECK-NEXT: %s = call float @llvm.minnum.f32(float %r, float %b)
; CHECK-NEXT: ret float %s
  %r = call float @llvm.minimum.f32(float %a, float %b)
  %s = call float @llvm.minnum.f32(float %r, float %b)
  ret float %s
}
declare <4 x float> @llvm.minimumnum.v4f32(<4 x float>, <4 x float>)
declare float @llvm.minimum.f32(float, float)
declare float @llvm.minnum.f32(float, float)
