; A store at an index that is known only at run time may change any element: what follows is loaded.
; RUN-PASS: forward --march=x86-64-v3
define float @anywhere(float %v, i64 %i) "kdsl-nests" {
; CHECK-LABEL: @anywhere(
; CHECK: store float %v, ptr %m
; CHECK: store float 1.000000e+00, ptr %p
; CHECK: %r = load float, ptr %m
; CHECK-NEXT: ret float %r
  %at = alloca [8 x float], align 32
  %m = call ptr @kdsl.group.memory(ptr %at)
  store float %v, ptr %m, align 4
  %p = getelementptr float, ptr %m, i64 %i
  store float 1.0, ptr %p, align 4
  %r = load float, ptr %m, align 4
  ret float %r
}
define float @chosen(float %v, i1 %c) "kdsl-nests" {
; CHECK-LABEL: @chosen(
; CHECK: %r = load float, ptr %m
  %at = alloca [8 x float], align 32
  %other = alloca [8 x float], align 32
  %m = call ptr @kdsl.group.memory(ptr %at)
  store float %v, ptr %m, align 4
  %p = select i1 %c, ptr %m, ptr %other
  store float 1.0, ptr %p, align 4
  %r = load float, ptr %m, align 4
  ret float %r
}
declare ptr @kdsl.group.memory(ptr)
