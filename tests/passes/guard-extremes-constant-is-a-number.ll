; A constant or a converted integer is known to be a number, and only the other operand is asked whether it is a NaN.
; RUN-PASS: guard-extremes --march=x86-64-v4
define float @clamp(float %a) {
; CHECK-LABEL: @clamp(
; CHECK: [[NAN:%[0-9]+]] = fcmp uno float %a, %a
; CHECK-NEXT: [[A:%[0-9]+]] = select i1 [[NAN]], float 0.000000e+00, float %a
; CHECK-NOT: fcmp
; CHECK: %r = call float @llvm.maximumnum.f32(float [[A]], float 0.000000e+00)
  %r = call float @llvm.maximumnum.f32(float %a, float 0.0)
  ret float %r
}
define float @nan(float %a) {
; CHECK-LABEL: @nan(
; CHECK-NOT: fcmp uno float 0x7FF8
; CHECK: %r = call float @llvm.maximumnum.f32(float {{%[0-9]+}}, float %a)
  %r = call float @llvm.maximumnum.f32(float %a, float 0x7FF8000000000000)
  ret float %r
}
define double @integer(i32 %n, double %a) {
; CHECK-LABEL: @integer(
; CHECK: [[NAN:%[0-9]+]] = fcmp uno double %a, %a
; CHECK-NEXT: [[A:%[0-9]+]] = select i1 [[NAN]], double %x, double %a
; CHECK-NEXT: %r = call double @llvm.maximumnum.f64(double %x, double [[A]])
  %x = sitofp i32 %n to double
  %r = call double @llvm.maximumnum.f64(double %x, double %a)
  ret double %r
}
declare float @llvm.maximumnum.f32(float, float)
declare double @llvm.maximumnum.f64(double, double)
