; A function that is small, or large but called once, is still inlined.
; RUN-PASS: bound-inlining --march=x86-64-v3
define internal i32 @a(i32 %x) alwaysinline {
; CHECK: define internal i32 @a(i32 %x) [[INLINED:#[0-9]+]] {
  %y = add i32 %x, 1
  ret i32 %y
}
define i32 @kernel(i32 %x) {
  %y = call i32 @a(i32 %x)
  %z = call i32 @a(i32 %y)
  ret i32 %z
}
; CHECK: attributes [[INLINED]] = { alwaysinline }
; CHECK-NOT: noinline
; CHECK-NOT: kdsl-kept-call
