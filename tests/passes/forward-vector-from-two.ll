; A vector that begins between two stored ones is put together from both.
; RUN-PASS: forward --march=x86-64-v3
define <4 x i32> @between(<4 x i32> %a, <4 x i32> %b) "kdsl-nests" {
; CHECK-LABEL: @between(
; CHECK-NOT: load
; CHECK: [[BOTH:%[0-9]+]] = shufflevector <4 x i32> %a, <4 x i32> %b, <4 x i32> <i32 3, i32 4, i32 5, i32 6>
; CHECK-NEXT: ret <4 x i32> [[BOTH]]
  %at = alloca [16 x i32], align 64
  %m = call ptr @kdsl.group.memory(ptr %at)
  store <4 x i32> %a, ptr %m, align 4
  %second = getelementptr i32, ptr %m, i64 4
  store <4 x i32> %b, ptr %second, align 4
  %p = getelementptr i32, ptr %m, i64 3
  %r = load <4 x i32>, ptr %p, align 4
  ret <4 x i32> %r
}
declare ptr @kdsl.group.memory(ptr)
