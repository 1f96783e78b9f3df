; A function with as many blocks as the bound is optimised, and one with one more is not.
; RUN-PASS: bound-optimizing --march=x86-64-v3
define void @two() {
; CHECK: define void @two() {
  br label %end
end:
  ret void
}
define void @three() {
; CHECK: define void @three() [[THREE:#[0-9]+]] {
  br label %next
next:
  br label %end
end:
  ret void
}
; CHECK: attributes [[THREE]] = { noinline optnone }
!llvm.module.flags = !{!0}
!0 = !{i32 1, !"kdsl.most.optimized", i32 2}
