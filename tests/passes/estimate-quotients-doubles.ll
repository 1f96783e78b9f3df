; f64: two steps, with AVX-512. A vector of other lengths takes the next longer register; one that is too long divides.
; RUN-PASS: estimate-quotients --march=x86-64-v4
define <8 x double> @roots(<8 x double> %x) {
; CHECK-LABEL: @roots(
; CHECK: call <8 x double> @llvm.x86.avx512.rsqrt14.pd.512(
; CHECK-COUNT-2: select <8 x i1>
; CHECK-NOT: {{llvm.sqrt|fdiv}}
; CHECK: ret
  %s = call afn <8 x double> @llvm.sqrt.v8f64(<8 x double> %x)
  %r = fdiv arcp <8 x double> splat (double 1.0), %s
  ret <8 x double> %r
}
define <3 x double> @three(<3 x double> %x, <3 x double> %y) {
; CHECK-LABEL: @three(
; CHECK: call <4 x double> @llvm.x86.avx512.rcp14.pd.256(
  %q = fdiv arcp <3 x double> %x, %y
  ret <3 x double> %q
}
define <16 x double> @long(<16 x double> %x, <16 x double> %y) {
; CHECK-LABEL: @long(
; CHECK: fdiv arcp <16 x double>
  %q = fdiv arcp <16 x double> %x, %y
  ret <16 x double> %q
}
