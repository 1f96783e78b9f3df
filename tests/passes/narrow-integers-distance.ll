; How far a strided loop goes is not negative where its begin is below its end, so its number of iterations, a quotient,
; has 32 bits. Without the condition the quotient needs 64.
; RUN-PASS: narrow-integers --offload-arch=sm_80
define i1 @kdsl_narrow_k(i32 %item, i64 range(i64 0, 2147418113) %n) "kdsl-narrow" {
; CHECK-LABEL: @kdsl_narrow_k(
; CHECK: add nsw i32
; CHECK: lshr i64 {{.*}}, 16
; CHECK: inside:
; CHECK: lshr i32 {{.*}}, 16
; CHECK: icmp ult i32
entry:
  %k = zext nneg i32 %item to i64
  %not.early = xor i64 %k, -1
  %early = add i64 %n, %not.early
  %trips.early = lshr i64 %early, 16
  %e = icmp ult i64 %trips.early, 3
  %some = icmp ult i64 %k, %n
  br i1 %some, label %inside, label %outside
inside:
  %not = xor i64 %k, -1
  %distance = add i64 %not, %n
  %trips = lshr i64 %distance, 16
  %few = icmp ult i64 %trips, 3
  ret i1 %few
outside:
  ret i1 %e
}
