; Two zeros of vectors: two bitwise instructions, or with AVX-512 one under a mask.
; RUN-PASS: expand-extremes --march=x86-64-v3
define <8 x float> @least(<8 x float> %a, <8 x float> %b) {
; CHECK-LABEL: @least(
; CHECK: fcmp oeq <8 x float>
; CHECK: sext <8 x i1> {{%[0-9]+}} to <8 x i32>
; CHECK: and <8 x i32>
; CHECK: or <8 x i32>
  %r = call <8 x float> @llvm.minimumnum.v8f32(<8 x float> %a, <8 x float> %b)
  ret <8 x float> %r
}
define <4 x double> @greatest(<4 x double> %a, <4 x double> %b) {
; CHECK-LABEL: @greatest(
; CHECK: fcmp une <4 x double>
; CHECK: or <4 x i64>
; CHECK: and <4 x i64>
  %r = call <4 x double> @llvm.maximumnum.v4f64(<4 x double> %a, <4 x double> %b)
  ret <4 x double> %r
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
declare <8 x float> @llvm.minimumnum.v8f32(<8 x float>, <8 x float>)
declare <4 x double> @llvm.maximumnum.v4f64(<4 x double>, <4 x double>)
declare float @llvm.minimum.f32(float, float)
declare float @llvm.minnum.f32(float, float)
