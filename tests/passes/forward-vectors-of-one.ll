; A vector of one element is memory of that element, but not a value of its type: such an access stays.
; RUN-PASS: forward --march=x86-64-v3
define <1 x float> @one(float %v) "kdsl-nests" {
; CHECK-LABEL: @one(
; CHECK: store float %v, ptr %m
; CHECK-NEXT: %r = load <1 x float>, ptr %m
; CHECK-NEXT: ret <1 x float> %r
  %at = alloca [4 x float], align 16
  %m = call ptr @kdsl.group.memory(ptr %at)
  store float %v, ptr %m, align 4
  %r = load <1 x float>, ptr %m, align 4
  ret <1 x float> %r
}
define void @none(<1 x float> %v) "kdsl-nests" {
; CHECK-LABEL: @none(
; CHECK: call void @llvm.masked.store.v1f32.p0(<1 x float> %v
  %at = alloca [4 x float], align 16
  %m = call ptr @kdsl.group.memory(ptr %at)
  call void @llvm.masked.store.v1f32.p0(<1 x float> %v, ptr %m, <1 x i1> zeroinitializer)
  %r = call <1 x float> @llvm.masked.load.v1f32.p0(ptr %m, <1 x i1> zeroinitializer, <1 x float> %v)
  call void (...) @use(<1 x float> %r)
  ret void
}
declare void @llvm.masked.store.v1f32.p0(<1 x float>, ptr, <1 x i1>)
declare <1 x float> @llvm.masked.load.v1f32.p0(ptr, <1 x i1>, <1 x float>)
declare void @use(...)
declare ptr @kdsl.group.memory(ptr)
