; GPUs have instructions that do as the language says.
; RUN-PASS: expand-extremes --offload-arch=gfx90a
; RUN-PASS: expand-extremes --offload-arch=sm_80
define float @least(float %a, float %b) {
; CHECK-LABEL: @least(
; CHECK-NEXT: %r = call float @llvm.minimumnum.f32(float %a, float %b)
  %r = call float @llvm.minimumnum.f32(float %a, float %b)
  ret float %r
}
declare float @llvm.minimumnum.f32(float, float)
