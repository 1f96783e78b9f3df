; A load under a constant mask takes what is known, and in the other lanes what the load says.
; RUN-PASS: forward --march=x86-64-v3
define <4 x i32> @masked(<4 x i32> %v) "kdsl-nests" {
; CHECK-LABEL: @masked(
; CHECK-NOT: llvm.masked.load
; CHECK: [[R:%[0-9]+]] = select <4 x i1> <i1 true, i1 true, i1 false, i1 false>, <4 x i32> {{%.*}}, <4 x i32> splat (i32 7)
; CHECK-NEXT: ret <4 x i32> [[R]]
  %at = alloca [4 x i32], align 16
  %m = call ptr @kdsl.group.memory(ptr %at)
  store <4 x i32> %v, ptr %m, align 4
  %p = getelementptr i32, ptr %m, i64 2
  %r = call <4 x i32> @llvm.masked.load.v4i32.p0(ptr %p, <4 x i1> <i1 1, i1 1, i1 0, i1 0>, <4 x i32> splat (i32 7))
  ret <4 x i32> %r
}
declare <4 x i32> @llvm.masked.load.v4i32.p0(ptr, <4 x i1>, <4 x i32>)
declare ptr @kdsl.group.memory(ptr)
