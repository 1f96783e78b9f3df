; What has just been stored in a group's memory is not loaded again.
; RUN-PASS: forward --march=x86-64-v3
define <4 x float> @same(<4 x float> %v) "kdsl-nests" {
; CHECK-LABEL: @same(
; CHECK: store <4 x float> %v
; CHECK-NOT: load
; CHECK: ret <4 x float> %v
  %at = alloca [8 x float], align 32
  %m = call ptr @kdsl.group.memory(ptr %at)
  store <4 x float> %v, ptr %m, align 4
  %r = load <4 x float>, ptr %m, align 4
  ret <4 x float> %r
}
define float @lane(<4 x float> %v) "kdsl-nests" {
; CHECK-LABEL: @lane(
; CHECK-NOT: load
; CHECK: [[LANE:%[0-9]+]] = extractelement <4 x float> %v, i32 2
; CHECK-NEXT: ret float [[LANE]]
  %at = alloca [8 x float], align 32
  %m = call ptr @kdsl.group.memory(ptr %at)
  %from = getelementptr float, ptr %m, i64 1
  store <4 x float> %v, ptr %from, align 4
  %p = getelementptr i8, ptr %m, i64 12
  %r = load float, ptr %p, align 4
  ret float %r
}
declare ptr @kdsl.group.memory(ptr)
