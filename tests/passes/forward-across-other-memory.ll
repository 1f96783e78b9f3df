; A store through a parameter, or to another group's memory, leaves this memory as it is.
; RUN-PASS: forward --march=x86-64-v3
define float @apart(float %v, ptr %x, i64 %i) "kdsl-nests" {
; CHECK-LABEL: @apart(
; CHECK: store float 1.000000e+00, ptr %p
; CHECK: store float 2.000000e+00, ptr %q
; CHECK-NOT: load
; CHECK: ret float %v
  %at = alloca [8 x float], align 32
  %and = alloca [8 x float], align 32
  %m = call ptr @kdsl.group.memory(ptr %at)
  %n = call ptr @kdsl.group.memory(ptr %and)
  store float %v, ptr %m, align 4
  %p = getelementptr float, ptr %x, i64 %i
  store float 1.0, ptr %p, align 4
  %q = getelementptr float, ptr %n, i64 %i
  store float 2.0, ptr %q, align 4
  %r = load float, ptr %m, align 4
  ret float %r
}
declare ptr @kdsl.group.memory(ptr)
