; A vector whose elements lie in three others, or in memory that nobody has stored to, is loaded.
; RUN-PASS: forward --march=x86-64-v3
define <4 x i32> @three(<4 x i32> %a, i32 %b, i32 %c) "kdsl-nests" {
; CHECK-LABEL: @three(
; CHECK: %r = load <4 x i32>, ptr %m
; CHECK-NEXT: ret <4 x i32> %r
  %at = alloca [8 x i32], align 32
  %m = call ptr @kdsl.group.memory(ptr %at)
  store <4 x i32> %a, ptr %m, align 4
  store i32 %b, ptr %m, align 4
  %p = getelementptr i32, ptr %m, i64 1
  store i32 %c, ptr %p, align 4
  %r = load <4 x i32>, ptr %m, align 4
  ret <4 x i32> %r
}
define <4 x i32> @beyond(<4 x i32> %a) "kdsl-nests" {
; CHECK-LABEL: @beyond(
; CHECK: %r = load <4 x i32>, ptr %p
  %at = alloca [8 x i32], align 32
  %m = call ptr @kdsl.group.memory(ptr %at)
  store <4 x i32> %a, ptr %m, align 4
  %p = getelementptr i32, ptr %m, i64 2
  %r = load <4 x i32>, ptr %p, align 4
  ret <4 x i32> %r
}
declare ptr @kdsl.group.memory(ptr)
