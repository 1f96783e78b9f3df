; On AVX-512DQ each operand of a minimum or maximum gives way to the other where it is a NaN.
; RUN-PASS: guard-extremes --march=x86-64-v4
define float @least(float %a, float %b) {
; CHECK-LABEL: @least(
; CHECK: [[A_NAN:%[0-9]+]] = fcmp uno float %a, %a
; CHECK-NEXT: [[A:%[0-9]+]] = select i1 [[A_NAN]], float %b, float %a
; CHECK: [[B_NAN:%[0-9]+]] = fcmp uno float %b, %b
; CHECK-NEXT: [[B:%[0-9]+]] = select i1 [[B_NAN]], float %a, float %b
; CHECK: %r = call float @llvm.minimumnum.f32(float [[A]], float [[B]])
  %r = call float @llvm.minimumnum.f32(float %a, float %b)
  ret float %r
}
define double @greatest(double %a, double %b) {
; CHECK-LABEL: @greatest(
; CHECK-COUNT-2: select i1 {{%.*}}, double
; CHECK: call double @llvm.maximumnum.f64(
  %r = call double @llvm.maximumnum.f64(double %a, double %b)
  ret double %r
}
declare float @llvm.minimumnum.f32(float, float)
declare double @llvm.maximumnum.f64(double, double)
