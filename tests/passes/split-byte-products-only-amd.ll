; Other devices have no such trouble.
; RUN-PASS: split-byte-products --offload-arch=sm_90
define ptx_kernel void @k(<2 x i8> %a, <2 x i8> %b, ptr %to) {
; CHECK-LABEL: @k(
; CHECK: mul <2 x i8>
  %p = mul <2 x i8> %a, %b
  store <2 x i8> %p, ptr %to
  ret void
}
