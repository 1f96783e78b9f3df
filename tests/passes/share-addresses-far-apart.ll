; Constants that are added may be large, since what is left is not below their negative; those that are subtracted may not.
; RUN-PASS: share-addresses --offload-arch=sm_80
define float @kdsl_narrow_k(ptr %x, i32 %k) "kdsl-narrow" {
; CHECK-LABEL: @kdsl_narrow_k(
; CHECK: [[BASE:%[0-9]+]] = getelementptr float, ptr %x, i64
; CHECK: getelementptr float, ptr [[BASE]], i64 65536
; CHECK: %c = add i32 %k, -65536
; CHECK: zext i32 %c to i64
  %a.wide = zext i32 %k to i64
  %p = getelementptr float, ptr %x, i64 %a.wide
  %v = load float, ptr %p
  %b = add i32 %k, 65536
  %b.wide = zext i32 %b to i64
  %q = getelementptr float, ptr %x, i64 %b.wide
  %w = load float, ptr %q
  %c = add i32 %k, -65536
  %c.wide = zext i32 %c to i64
  %r = getelementptr float, ptr %x, i64 %c.wide
  %u = load float, ptr %r
  %s = fadd float %v, %w
  %t = fadd float %s, %u
  ret float %t
}
