; Nothing is known of the operands: the second is replaced where it is NaN, and equal operands are joined because both
; may be zeros.
; RUN-PASS: expand-extremes --march=x86-64-v2
; RUN-PASS: expand-extremes --march=x86-64-v4
define float @least(float %a, float %b) {
; CHECK-LABEL: @least(
; CHECK-NOT: minimumnum
; CHECK: [[NAN:%[0-9]+]] = fcmp uno float %b, %b
; CHECK-NEXT: [[B:%[0-9]+]] = select i1 [[NAN]], float %a, float %b
; CHECK-NEXT: [[LESS:%[0-9]+]] = fcmp olt float %a, [[B]]
; CHECK-NEXT: select i1 [[LESS]], float %a, float [[B]]
; CHECK: or i32
; CHECK: fcmp oeq float %a, [[B]]
  %r = call float @llvm.minimumnum.f32(float %a, float %b)
  ret float %r
}
define double @greatest(double %a, double %b) {
; CHECK-LABEL: @greatest(
; CHECK: fcmp uno double %b, %b
; CHECK: fcmp ogt double %a
; CHECK: and i64
; CHECK: fcmp oeq double %a
  %r = call double @llvm.maximumnum.f64(double %a, double %b)
  ret double %r
}
declare float @llvm.minimumnum.f32(float, float)
declare double @llvm.maximumnum.f64(double, double)
