; The number of iterations of a strided loop is selected where the loop's begin is below its end, and has 32 bits. Selected
; where nothing is known, it needs 64.
; RUN-PASS: narrow-integers --offload-arch=sm_80
define i1 @kdsl_narrow_k(i32 %item, i64 range(i64 0, 2147418113) %n) "kdsl-narrow" {
; CHECK-LABEL: @kdsl_narrow_k(
; CHECK: [[TRIPS:%.*]] = select i1 {{.*}}, i32 {{.*}}, i32 0
; CHECK: icmp ult i32 [[TRIPS]], 3
; CHECK: select i1 {{.*}}, i64 {{.*}}, i64 0
; CHECK: ret i1
  %k = zext nneg i32 %item to i64
  %some = icmp ugt i64 %n, %k
  %other = icmp ult i64 %n, 9
  %not = xor i64 %k, -1
  %distance = add nsw i64 %n, %not
  %steps = lshr i64 %distance, 16
  %rounds = add nuw nsw i64 %steps, 1
  %trips = select i1 %some, i64 %rounds, i64 0
  %few = icmp ult i64 %trips, 3
  %trips.other = select i1 %other, i64 %rounds, i64 0
  %few.other = icmp ult i64 %trips.other, 3
  %both = and i1 %few, %few.other
  ret i1 %both
}
