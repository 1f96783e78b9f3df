; A vector of more than 64 elements is more than the pass keeps count of: it stays as it is.
; RUN-PASS: forward --march=x86-64-v3
define void @wide(<128 x i8> %v) "kdsl-nests" {
; CHECK-LABEL: @wide(
; CHECK: call void @llvm.masked.store.v128i8.p0(<128 x i8> %v
; CHECK: %r = load <128 x i8>, ptr %m
  %at = alloca [128 x i8], align 64
  %m = call ptr @kdsl.group.memory(ptr %at)
  call void @llvm.masked.store.v128i8.p0(<128 x i8> %v, ptr %m, <128 x i1> splat (i1 true))
  %r = load <128 x i8>, ptr %m, align 1
  call void (...) @use(<128 x i8> %r)
  ret void
}
declare void @llvm.masked.store.v128i8.p0(<128 x i8>, ptr, <128 x i1>)
declare void @use(...)
declare ptr @kdsl.group.memory(ptr)
