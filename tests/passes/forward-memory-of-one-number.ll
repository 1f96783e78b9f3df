; Memory of a group that is not an array, as one number, is left alone.
; RUN-PASS: forward --march=x86-64-v3
define float @number(float %v) "kdsl-nests" {
; CHECK-LABEL: @number(
; CHECK: store float %v, ptr %m
; CHECK-NEXT: %r = load float, ptr %m
  %at = alloca float, align 4
  %m = call ptr @kdsl.group.memory(ptr %at)
  store float %v, ptr %m, align 4
  %r = load float, ptr %m, align 4
  ret float %r
}
define i32 @several(i32 %v) "kdsl-nests" {
; CHECK-LABEL: @several(
; CHECK: %r = load i32, ptr %m
  %at = alloca { i32, float }, align 4
  %m = call ptr @kdsl.group.memory(ptr %at)
  store i32 %v, ptr %m, align 4
  %r = load i32, ptr %m, align 4
  ret i32 %r
}
declare ptr @kdsl.group.memory(ptr)
