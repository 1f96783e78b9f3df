; Quotients and roots without the flags of the fast mode stay, and so do scalars.
; RUN-PASS: estimate-quotients --march=x86-64-v4
; RUN-PASS: estimate-quotients --march=x86-64-v3
define <8 x float> @exact(<8 x float> %x, <8 x float> %y) {
; CHECK-LABEL: @exact(
; CHECK: fdiv <8 x float> %x, %y
; CHECK-NEXT: call <8 x float> @llvm.sqrt.v8f32(<8 x float> %q)
  %q = fdiv <8 x float> %x, %y
  %r = call <8 x float> @llvm.sqrt.v8f32(<8 x float> %q)
  ret <8 x float> %r
}
define float @scalar(float %x, float %y) {
; CHECK-LABEL: @scalar(
; CHECK: fdiv reassoc arcp afn float %x, %y
  %q = fdiv reassoc arcp afn float %x, %y
  ret float %q
}
