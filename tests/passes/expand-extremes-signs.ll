; Converted integers, squares and absolute values are never -0, so two zeros need no order if these are compared.
; RUN-PASS: expand-extremes --march=x86-64-v3
define double @integer(i32 %n, double %a) {
; CHECK-LABEL: @integer(
; CHECK-NOT: uno
; CHECK: fcmp ogt double %a, %x
; CHECK-NEXT: select
; CHECK-NEXT: ret
  %x = sitofp i32 %n to double
  %r = call double @llvm.maximumnum.f64(double %x, double %a)
  ret double %r
}
define float @square(float %a, i8 %k) {
; CHECK-LABEL: @square(
; CHECK: fcmp olt float %q, %x
; CHECK-NEXT: select
; CHECK-NEXT: ret
  %q = fmul float %a, %a
  %x = uitofp i8 %k to float
  %r = call float @llvm.minimumnum.f32(float %x, float %q)
  ret float %r
}
define <8 x float> @magnitudes(<8 x float> %a, <8 x float> %b) {
; CHECK-LABEL: @magnitudes(
; CHECK: fcmp uno
; CHECK-NOT: oeq
; CHECK: ret
  %p = call <8 x float> @llvm.fabs.v8f32(<8 x float> %a)
  %q = call <8 x float> @llvm.fabs.v8f32(<8 x float> %b)
  %r = call <8 x float> @llvm.maximumnum.v8f32(<8 x float> %p, <8 x float> %q)
  ret <8 x float> %r
}
declare double @llvm.maximumnum.f64(double, double)
declare float @llvm.minimumnum.f32(float, float)
declare <8 x float> @llvm.fabs.v8f32(<8 x float>)
declare <8 x float> @llvm.maximumnum.v8f32(<8 x float>, <8 x float>)
