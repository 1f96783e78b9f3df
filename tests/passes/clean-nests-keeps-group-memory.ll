; A group's memory stays memory: the call that hides it is there yet.
; RUN-PASS: clean-nests --march=x86-64-v3
define float @group(float %v) "kdsl-nests" {
; CHECK-LABEL: @group(
; CHECK: %at = alloca [8 x float]
; CHECK: store float %v, ptr %m
; CHECK: load float, ptr %m
  %at = alloca [8 x float], align 32
  %m = call ptr @kdsl.group.memory(ptr %at)
  store float %v, ptr %m, align 4
  %r = load float, ptr %m, align 4
  ret float %r
}
declare ptr @kdsl.group.memory(ptr)
