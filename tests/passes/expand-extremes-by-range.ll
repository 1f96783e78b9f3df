; With AVX-512DQ one instruction orders zeros and takes the number of a NaN and a number; what may be a signalling NaN, as a
; number from memory, is made quiet before.
; RUN-PASS: expand-extremes --march=x86-64-v4
; CHECK-LABEL: @loaded(
; CHECK: [[A:%.*]] = call <16 x float> @llvm.canonicalize.v16f32(<16 x float> %a)
; CHECK: [[R:%.*]] = call <16 x float> @llvm.x86.avx512.mask.range.ps.512(<16 x float> [[A]], {{.*}} i32 5,
; CHECK-LABEL: @computed(
; CHECK-NOT: canonicalize
; CHECK: call <8 x double> @llvm.x86.avx512.mask.range.pd.512(<8 x double> %s, <8 x double> %p, i32 4,
; CHECK-LABEL: @number(
; CHECK-NOT: range
; CHECK: fcmp
define <16 x float> @loaded(<16 x float> %a, <16 x float> %b) {
  %m = call <16 x float> @llvm.maximumnum.v16f32(<16 x float> %a, <16 x float> %b)
  ret <16 x float> %m
}
define <8 x double> @computed(<8 x double> %a, <8 x double> %b) {
  %s = fadd <8 x double> %a, %b
  %p = fmul <8 x double> %a, %b
  %m = call <8 x double> @llvm.minimumnum.v8f64(<8 x double> %s, <8 x double> %p)
  ret <8 x double> %m
}
define <16 x float> @number(<16 x float> %a) {
  %m = call <16 x float> @llvm.maximumnum.v16f32(<16 x float> %a, <16 x float> splat (float 1.0))
  ret <16 x float> %m
}
