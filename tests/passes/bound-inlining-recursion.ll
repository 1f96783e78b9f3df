; Functions that call one another in a circle are measured once each, and an external function is not LLVM's to inline.
; RUN-PASS: bound-inlining --march=x86-64-v3
define internal i32 @even(i32 %n) {
  %m = sub i32 %n, 1
  %r = call i32 @odd(i32 %m)
  ret i32 %r
}
define internal i32 @odd(i32 %n) {
  %m = sub i32 %n, 1
  %r = call i32 @even(i32 %m)
  ret i32 %r
}
define i32 @itself(i32 %n) {
  %r = call i32 @itself(i32 %n)
  %s = call i32 @even(i32 %r)
  %t = call i32 @outside(i32 %s)
  ret i32 %t
}
declare i32 @outside(i32)
; CHECK: define i32 @itself(i32 %n) {
; CHECK-NOT: noinline
