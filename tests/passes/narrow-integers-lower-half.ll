; Of what an offset is cut to, 32 bits are computed, whatever the rest may be; a shift to the right needs the upper half.
; RUN-PASS: narrow-integers --offload-arch=sm_80
define float @kdsl_narrow_k(ptr %x, i64 %a, i64 %b) "kdsl-narrow" {
; CHECK-LABEL: @kdsl_narrow_k(
; CHECK-DAG: [[B:%[0-9]+]] = trunc i64 %b to i32
; CHECK-DAG: [[A:%[0-9]+]] = trunc i64 %a to i32
; CHECK: mul i32 [[A]], [[B]]
; CHECK: lshr i64 %a, 3
; CHECK: zext i32
  %product = mul i64 %a, %b
  %shifted = lshr i64 %a, 3
  %sum = add i64 %product, %shifted
  %offset = and i64 %sum, 4294967295
  %p = getelementptr float, ptr %x, i64 %offset
  %v = load float, ptr %p
  ret float %v
}
