; A volatile load stays, and so does one of another type than the memory's elements, or of half an element.
; RUN-PASS: forward --march=x86-64-v3
define void @kept(float %v, ptr %x) "kdsl-nests" {
; CHECK-LABEL: @kept(
; CHECK: %a = load volatile float, ptr %m
; CHECK: %b = load i32, ptr %m
; CHECK: %c = load float, ptr %half
; CHECK: %d = load atomic i32, ptr %m monotonic
  %at = alloca [8 x float], align 32
  %m = call ptr @kdsl.group.memory(ptr %at)
  store float %v, ptr %m, align 4
  %a = load volatile float, ptr %m, align 4
  %b = load i32, ptr %m, align 4
  %half = getelementptr i8, ptr %m, i64 2
  %c = load float, ptr %half, align 2
  %d = load atomic i32, ptr %m monotonic, align 4
  call void (...) @use(float %a, i32 %b, float %c, i32 %d)
  ret void
}
declare void @use(...)
declare ptr @kdsl.group.memory(ptr)
