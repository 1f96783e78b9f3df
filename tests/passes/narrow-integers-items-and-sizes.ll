; The number of an item and a size are compared in 32 bits, also where a bound is a size and a constant, or one of two.
; RUN-PASS: narrow-integers --offload-arch=sm_80
define i1 @kdsl_narrow_k(i32 %item, i64 range(i64 0, 2147418113) %n) "kdsl-narrow" {
; CHECK-LABEL: @kdsl_narrow_k(
; CHECK: icmp {{[su]}}lt i32 %item
; CHECK-NOT: icmp slt i64 %k
; CHECK: ret i1
  %k = zext nneg i32 %item to i64
  %inside = icmp slt i64 %k, %n
  %less = add nsw i64 %n, -2
  %some = icmp sgt i64 %n, 2
  %trips = select i1 %some, i64 %less, i64 0
  %second = icmp slt i64 %k, %trips
  %both = and i1 %inside, %second
  ret i1 %both
}
