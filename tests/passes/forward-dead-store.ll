; A store that is overwritten before anything reads it is left out; one that may be read is kept.
; RUN-PASS: forward --march=x86-64-v3
define void @dead(<4 x float> %a, <4 x float> %b) "kdsl-nests" {
; CHECK-LABEL: @dead(
; CHECK-NOT: store <4 x float> %a
; CHECK: store <4 x float> %b, ptr %m
; CHECK-NEXT: call void @use(ptr %m)
  %at = alloca [4 x float], align 32
  %m = call ptr @kdsl.group.memory(ptr %at)
  store <4 x float> %a, ptr %m, align 4
  store <4 x float> %b, ptr %m, align 4
  call void @use(ptr %m)
  ret void
}
define void @read(<4 x float> %a, <4 x float> %b, float %c) "kdsl-nests" {
; CHECK-LABEL: @read(
; CHECK: store <4 x float> %a, ptr %m
; CHECK-NEXT: call void @use(ptr %m)
; CHECK-NEXT: store <4 x float> %b, ptr %m
; CHECK-NEXT: store float %c, ptr %m
; CHECK-NEXT: call void @use(ptr %m)
  %at = alloca [4 x float], align 32
  %m = call ptr @kdsl.group.memory(ptr %at)
  store <4 x float> %a, ptr %m, align 4
  call void @use(ptr %m)
  store <4 x float> %b, ptr %m, align 4
  store float %c, ptr %m, align 4
  call void @use(ptr %m)
  ret void
}
declare void @use(ptr)
declare ptr @kdsl.group.memory(ptr)
