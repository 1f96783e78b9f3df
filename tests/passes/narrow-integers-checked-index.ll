; An index that is checked has 32 bits where it is used after the check, though not where it is computed.
; RUN-PASS: narrow-integers --offload-arch=sm_80
define void @kdsl_narrow_k(ptr %x, i64 %k, i64 %gap, i64 range(i64 0, 2147418113) %n) "kdsl-narrow" {
; CHECK-LABEL: @kdsl_narrow_k(
; CHECK: %i = add i64 %k, %gap
; CHECK: [[WORD:%[0-9]+]] = trunc i64 %i to i32
; CHECK: icmp ult i64 %i, %n
; CHECK: [[INDEX:%[0-9]+]] = sext i32 [[WORD]] to i64
; CHECK: getelementptr float, ptr %x, i64 [[INDEX]]
; CHECK: getelementptr float, ptr %x, i64 %i
  %i = add i64 %k, %gap
  %inside = icmp ult i64 %i, %n
  br i1 %inside, label %ok, label %outside
ok:
  %p = getelementptr float, ptr %x, i64 %i
  store float 0.0, ptr %p
  ret void
outside:
  %q = getelementptr float, ptr %x, i64 %i
  store float 1.0, ptr %q
  ret void
}
