; A store under a constant mask becomes a whole store that keeps what the other lanes have.
; RUN-PASS: forward --march=x86-64-v3
define void @blend(<4 x i32> %old, <4 x i32> %new) "kdsl-nests" {
; CHECK-LABEL: @blend(
; CHECK-NOT: store <4 x i32> %old
; CHECK: [[BOTH:%[0-9]+]] = shufflevector <4 x i32> %new, <4 x i32> %old, <4 x i32> <i32 0, i32 1, i32 6, i32 7>
; CHECK-NEXT: store <4 x i32> [[BOTH]], ptr %m
; CHECK-NOT: llvm.masked.store
; CHECK: call void @use(ptr %m)
  %at = alloca [4 x i32], align 16
  %m = call ptr @kdsl.group.memory(ptr %at)
  store <4 x i32> %old, ptr %m, align 4
  call void @llvm.masked.store.v4i32.p0(<4 x i32> %new, ptr %m, <4 x i1> <i1 1, i1 1, i1 0, i1 0>)
  call void @use(ptr %m)
  ret void
}
define void @outside(<4 x i32> %new) "kdsl-nests" {
; A vector that reaches beyond the memory keeps its mask.
; CHECK-LABEL: @outside(
; CHECK: call void @llvm.masked.store.v4i32.p0(<4 x i32> %new
  %at = alloca [4 x i32], align 16
  %m = call ptr @kdsl.group.memory(ptr %at)
  %p = getelementptr i32, ptr %m, i64 2
  call void @llvm.masked.store.v4i32.p0(<4 x i32> %new, ptr %p, <4 x i1> <i1 1, i1 1, i1 0, i1 0>)
  call void @use(ptr %m)
  ret void
}
declare void @llvm.masked.store.v4i32.p0(<4 x i32>, ptr, <4 x i1>)
declare void @use(ptr)
declare ptr @kdsl.group.memory(ptr)
