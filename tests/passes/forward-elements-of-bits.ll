; Elements that are not whole bytes, as i1, lie otherwise in a vector than in an array: they are left alone.
; RUN-PASS: forward --march=x86-64-v3
define <8 x i1> @bits(<8 x i1> %v) "kdsl-nests" {
; CHECK-LABEL: @bits(
; CHECK: store <8 x i1> %v, ptr %m
; CHECK: %p = getelementptr i8, ptr %m, i64 4
; CHECK: %r = load i1, ptr %p
  %at = alloca [8 x i1], align 8
  %m = call ptr @kdsl.group.memory(ptr %at)
  store <8 x i1> %v, ptr %m, align 1
  %p = getelementptr i8, ptr %m, i64 4
  %r = load i1, ptr %p, align 1
  call void (...) @use(i1 %r)
  ret <8 x i1> %v
}
declare void @use(...)
declare ptr @kdsl.group.memory(ptr)
