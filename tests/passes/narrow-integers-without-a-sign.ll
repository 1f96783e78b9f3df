; Numbers up to 2^32 - 1 are compared without a sign, and extended by zeros.
; RUN-PASS: narrow-integers --offload-arch=sm_80
define i64 @kdsl_narrow_k(i32 range(i32 0, 8388608) %group, i32 range(i32 0, 256) %local, i64 range(i64 0, 2147418113) %n) "kdsl-narrow" {
; CHECK-LABEL: @kdsl_narrow_k(
; CHECK: shl nuw i32
; CHECK: or disjoint i32
; CHECK: icmp ult i32
; CHECK: zext i32 {{.*}} to i64
; CHECK: select i1 %below
  %wide = zext nneg i32 %group to i64
  %base = shl nuw nsw i64 %wide, 9
  %item = zext nneg i32 %local to i64
  %at = or disjoint i64 %base, %item
  %below = icmp slt i64 %at, %n
  %v = select i1 %below, i64 %at, i64 -1
  ret i64 %v
}
