; Each of several calls is guarded, also where one takes the result of the other, and one operand twice.
; RUN-PASS: guard-extremes --march=x86-64-v4
define float @of_three(float %a, float %b, float %c) {
; CHECK-LABEL: @of_three(
; CHECK: %ab = call float @llvm.minimumnum.f32(
; CHECK: fcmp uno float %ab, %ab
; CHECK: %r = call float @llvm.minimumnum.f32(
  %ab = call float @llvm.minimumnum.f32(float %a, float %b)
  %r = call float @llvm.minimumnum.f32(float %ab, float %c)
  ret float %r
}
define float @twice(float %a) {
; CHECK-LABEL: @twice(
; CHECK: call float @llvm.minimumnum.f32(float %{{.*}}, float %{{.*}})
  %r = call float @llvm.minimumnum.f32(float %a, float %a)
  ret float %r
}
define void @none() {
; CHECK-LABEL: @none(
; CHECK-NEXT: ret void
  ret void
}
declare float @llvm.minimumnum.f32(float, float)
