; Processors without AVX-512DQ do as the language says: nothing is guarded there.
; RUN-PASS: guard-extremes --march=x86-64-v2
; RUN-PASS: guard-extremes --march=x86-64-v3
define float @least(float %a, float %b) {
; CHECK-LABEL: @least(
; CHECK-NEXT: %r = call float @llvm.minimumnum.f32(float %a, float %b)
; CHECK-NEXT: ret float %r
  %r = call float @llvm.minimumnum.f32(float %a, float %b)
  ret float %r
}
declare float @llvm.minimumnum.f32(float, float)
