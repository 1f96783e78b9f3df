; The remainder of a sum is found by subtraction where it wraps around at most once, and by a division elsewhere. Of a
; signed one neither number may be negative. Other dividends, constant divisors, and vectors stay.
; RUN-PASS: subtract-remainders --march=x86-64-v3
define i64 @torus(i64 %i, i64 %n) {
; CHECK-LABEL: @torus(
; CHECK: icmp ult i64
; CHECK: sub i64
; CHECK: select i1
; CHECK-NOT: urem
; CHECK: br i1
; CHECK: urem i64
; CHECK: phi i64
  %sum = add i64 %i, 1
  %r = urem i64 %sum, %n
  ret i64 %r
}
define i64 @signed(i64 %i, i64 %n) {
; CHECK-LABEL: @signed(
; CHECK: or i64
; CHECK: icmp sge i64 %{{.*}}, 0
; CHECK: br i1
; CHECK: srem i64
; CHECK: phi i64
  %sum = sub i64 %i, 1
  %r = srem i64 %sum, %n
  ret i64 %r
}
define i64 @hash(i64 %i, i64 %n) {
; CHECK-LABEL: @hash(
; CHECK-NOT: phi
; CHECK: ret i64
  %h = mul i64 %i, 747796405
  %r = urem i64 %h, %n
  %s = add i64 %r, 5
  %t = urem i64 %s, 7
  ret i64 %t
}
define <4 x i32> @lanes(<4 x i32> %i, <4 x i32> %n) {
; CHECK-LABEL: @lanes(
; CHECK-NOT: phi
; CHECK: ret
  %s = add <4 x i32> %i, %i
  %r = urem <4 x i32> %s, %n
  ret <4 x i32> %r
}
