; A function with more blocks than the bound, here 3, is compiled as with -O0, and not inlined into others.
; RUN-PASS: bound-optimizing --march=x86-64-v3
define internal i32 @many(i1 %c) alwaysinline {
; CHECK: define internal i32 @many(i1 %c) [[MANY:#[0-9]+]] {
entry:
  br i1 %c, label %then, label %else
then:
  br label %out
else:
  br label %out
out:
  %r = phi i32 [ 1, %then ], [ 2, %else ]
  ret i32 %r
}
define i32 @few(i1 %c) {
; CHECK: define i32 @few(i1 %c) {
  %r = call i32 @many(i1 %c)
  ret i32 %r
}
; CHECK: attributes [[MANY]] = { noinline optnone }
!llvm.module.flags = !{!0}
!0 = !{i32 1, !"kdsl.most.optimized", i32 3}
