; An address that is the base of another need not be one of the array, and a constant may be too large: what is left
; would not fit into 32 bits.
; RUN-PASS: share-addresses --offload-arch=sm_80
define float @kdsl_narrow_k(ptr %x, i32 %k, i64 %j) "kdsl-narrow" {
; CHECK-LABEL: @kdsl_narrow_k(
; CHECK: %a = add i32 %k, 5
; CHECK: getelementptr inbounds float, ptr %p, i64 %j
; CHECK: %b = add i32 %k, -100000
; CHECK: zext nneg i32 %b to i64
  %a = add i32 %k, 5
  %a.wide = zext nneg i32 %a to i64
  %p = getelementptr inbounds float, ptr %x, i64 %a.wide
  %q = getelementptr inbounds float, ptr %p, i64 %j
  %v = load float, ptr %q
  %b = add i32 %k, -100000
  %b.wide = zext nneg i32 %b to i64
  %r = getelementptr inbounds float, ptr %x, i64 %b.wide
  %w = load float, ptr %r
  %sum = fadd float %v, %w
  ret float %sum
}
