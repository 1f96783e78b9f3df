; Two names of one variable are one memory: a store through the one changes what the other reads.
; RUN-PASS: forward --march=x86-64-v3
define float @names(float %v, float %w) "kdsl-nests" {
; CHECK-LABEL: @names(
; CHECK: store float %w, ptr %n
; CHECK-NOT: load
; CHECK: ret float %w
  %at = alloca [8 x float], align 32
  %m = call ptr @kdsl.group.memory(ptr %at)
  %n = call ptr @kdsl.group.memory(ptr %at)
  store float %v, ptr %m, align 4
  store float %w, ptr %n, align 4
  %r = load float, ptr %m, align 4
  ret float %r
}
define float @unhidden(float %v, float %w, i64 %i) "kdsl-nests" {
; CHECK-LABEL: @unhidden(
; CHECK: %r = load float, ptr %m
  %at = alloca [8 x float], align 32
  %m = call ptr @kdsl.group.memory(ptr %at)
  store float %v, ptr %m, align 4
  %p = getelementptr float, ptr %at, i64 %i
  store float %w, ptr %p, align 4
  %r = load float, ptr %m, align 4
  ret float %r
}
declare ptr @kdsl.group.memory(ptr)
