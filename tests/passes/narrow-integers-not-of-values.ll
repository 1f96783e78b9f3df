; Numbers of the program may be large: what was read, a product, a parameter that is not a size, a sum of numbers of which
; some have a sign and some have none.
; RUN-PASS: narrow-integers --offload-arch=sm_80
define i1 @kdsl_narrow_k(ptr %at, i32 %item, i64 range(i64 0, 2147418113) %n, i64 range(i64 0, 2147418113) %m, i64 %v) "kdsl-narrow" {
; CHECK-LABEL: @kdsl_narrow_k(
; CHECK: icmp ult i64 %value, %n
; CHECK: icmp slt i64 %product, %n
; CHECK: icmp slt i64 %difference, %n
; CHECK: icmp slt i64 %v, %n
  %value = load i64, ptr %at
  %a = icmp ult i64 %value, %n
  %product = mul nsw i64 %n, %m
  %b = icmp slt i64 %product, %n
  %unsigned = zext i32 %item to i64
  %difference = sub i64 %unsigned, %m
  %c = icmp slt i64 %difference, %n
  %d = icmp slt i64 %v, %n
  %ab = and i1 %a, %b
  %cd = and i1 %c, %d
  %all = and i1 %ab, %cd
  ret i1 %all
}
