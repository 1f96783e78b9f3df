; Numbers of the program may be large: what was read, a product, a 32-bit number without sign.
; RUN-PASS: narrow-comparisons --offload-arch=sm_80
define i1 @kdsl_narrow_k(ptr %at, i32 %item, i64 range(i64 0, 2147418113) %n, i64 %v) "kdsl-narrow" {
; CHECK-LABEL: @kdsl_narrow_k(
; CHECK: icmp ult i64 %value, %n
; CHECK: icmp slt i64 %twice, %n
; CHECK: icmp slt i64 %unsigned, %n
; CHECK: icmp slt i64 %v, %n
  %value = load i64, ptr %at
  %a = icmp ult i64 %value, %n
  %twice = mul nsw i64 %n, 2
  %b = icmp slt i64 %twice, %n
  %unsigned = zext i32 %item to i64
  %c = icmp slt i64 %unsigned, %n
  %d = icmp slt i64 %v, %n
  %ab = and i1 %a, %b
  %cd = and i1 %c, %d
  %all = and i1 %ab, %cd
  ret i1 %all
}
