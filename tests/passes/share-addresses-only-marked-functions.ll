; Functions for arrays of any size stay as they are: there a part of the offset may be larger than 32 bits.
; RUN-PASS: share-addresses --offload-arch=sm_80
define float @kdsl_kernel_k(ptr %x, i32 %k) {
; CHECK-LABEL: @kdsl_kernel_k(
; CHECK-NEXT: %a = add i32 %k, 1
; CHECK-NEXT: zext nneg i32 %a to i64
  %a = add i32 %k, 1
  %a.wide = zext nneg i32 %a to i64
  %p = getelementptr inbounds float, ptr %x, i64 %a.wide
  %v = load float, ptr %p
  ret float %v
}
