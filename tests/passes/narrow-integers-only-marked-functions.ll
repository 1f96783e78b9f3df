; Elsewhere a size has 64 bits.
; RUN-PASS: narrow-integers --offload-arch=sm_80
define i1 @kdsl_kernel_k(i32 %item, i64 range(i64 0, 2147418113) %n) {
; CHECK-LABEL: @kdsl_kernel_k(
; CHECK: icmp slt i64 %k, %n
  %k = zext nneg i32 %item to i64
  %inside = icmp slt i64 %k, %n
  ret i1 %inside
}
