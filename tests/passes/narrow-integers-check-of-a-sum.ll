; The check of an index that is the sum of a number without a sign and one with a sign, both of 32 bits, compares the lower
; halves. The sum of two numbers without a sign may have 33 bits, and be below n in its lower half.
; RUN-PASS: narrow-integers --offload-arch=sm_80
define i1 @kdsl_narrow_k(i32 %item, i64 range(i64 -2147418112, 2147418113) %by, i64 range(i64 0, 4294967296) %far, i64 range(i64 0, 2147418113) %n) "kdsl-narrow" {
; CHECK-LABEL: @kdsl_narrow_k(
; CHECK: icmp ult i32
; CHECK: icmp ule i32
; CHECK: icmp ult i64
; CHECK: icmp slt i64
  %k = zext nneg i32 %item to i64
  %i = add nsw i64 %k, %by
  %inside = icmp ult i64 %i, %n
  %outside = icmp ule i64 %n, %i
  %j = add nsw i64 %k, %far
  %below = icmp ult i64 %j, %n
  %signed = icmp slt i64 %i, %n
  %a = xor i1 %inside, %outside
  %b = xor i1 %a, %below
  %c = xor i1 %b, %signed
  ret i1 %c
}
