; Functions without loops over items are left to LLVM's own pipeline.
; RUN-PASS: clean-nests --march=x86-64-v3
define i32 @unmarked(i32 %v) {
; CHECK-LABEL: @unmarked(
; CHECK: %kept = alloca i32
; CHECK: load i32, ptr %kept
  %kept = alloca i32
  store i32 %v, ptr %kept
  %r = load i32, ptr %kept
  ret i32 %r
}
define void @empty() "kdsl-nests" {
; CHECK-LABEL: @empty(
; CHECK-NEXT: ret void
  ret void
}
declare void @elsewhere() "kdsl-nests"
