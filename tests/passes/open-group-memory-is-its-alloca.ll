; A group's memory becomes the variable it was made of, and the call that hid it goes.
; RUN-PASS: open-group-memory --march=x86-64-v3
define float @sum(float %a) "kdsl-nests" {
; CHECK-LABEL: @sum(
; CHECK: %at = alloca [8 x float]
; CHECK-NOT: call
; CHECK: store float %a, ptr %at
; CHECK: getelementptr float, ptr %at, i64 4
  %at = alloca [8 x float], align 32
  %m = call ptr @kdsl.group.memory(ptr %at)
  store float %a, ptr %m, align 4
  %p = getelementptr float, ptr %m, i64 4
  %v = load float, ptr %p, align 4
  ret float %v
}
; CHECK-NOT: @kdsl.group.memory
declare ptr @kdsl.group.memory(ptr)
