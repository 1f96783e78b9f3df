; A function whose loops are not over items is left to LLVM's own pipeline, but for what must be inlined.
; RUN-PASS: prepare-nests --march=x86-64-v3
define internal i32 @must(i32 %v) alwaysinline {
  ret i32 %v
}
define i32 @other(i32 %v) {
; CHECK: define i32 @other(i32 %v) {
; CHECK: %own = alloca i32
; CHECK-NOT: call
; CHECK: load i32, ptr %own
  %own = alloca i32
  %w = call i32 @must(i32 %v)
  store i32 %w, ptr %own
  %r = load i32, ptr %own
  ret i32 %r
}
; CHECK-NOT: kdsl-nests
