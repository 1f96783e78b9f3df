; A function without loops over items, and memory that no group shares, are left as they are.
; RUN-PASS: forward --march=x86-64-v3
define float @unmarked(float %v) {
; CHECK-LABEL: @unmarked(
; CHECK: load float, ptr %m
  %at = alloca [8 x float], align 32
  %m = call ptr @kdsl.group.memory(ptr %at)
  store float %v, ptr %m, align 4
  %r = load float, ptr %m, align 4
  ret float %r
}
define float @local(float %v) "kdsl-nests" {
; CHECK-LABEL: @local(
; CHECK: load float, ptr %at
  %at = alloca [8 x float], align 32
  store float %v, ptr %at, align 4
  %r = load float, ptr %at, align 4
  ret float %r
}
define void @empty() "kdsl-nests" {
; CHECK-LABEL: @empty(
; CHECK-NEXT: ret void
  ret void
}
declare ptr @kdsl.group.memory(ptr)
