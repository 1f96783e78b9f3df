; Neighbours share the address of what their offsets have in common, whatever the order in which constants were added.
; RUN-PASS: share-addresses --offload-arch=sm_80
define void @kdsl_narrow_k(ptr %x, ptr %y, i32 %row, i32 %k) "kdsl-narrow" {
; CHECK-LABEL: @kdsl_narrow_k(
; CHECK: [[SUM:%[0-9]+]] = add i32 %row, %k
; CHECK-NEXT: [[WIDE:%[0-9]+]] = sext i32 [[SUM]] to i64
; CHECK-NEXT: [[BASE:%[0-9]+]] = getelementptr float, ptr %x, i64 [[WIDE]]
; CHECK: getelementptr float, ptr [[BASE]], i64 1
; CHECK: getelementptr float, ptr [[BASE]], i64 -3
; CHECK-NOT: sext
; CHECK: store float %sum
  %after = add i32 %k, 1
  %a = add nuw nsw i32 %row, %after
  %a.wide = zext nneg i32 %a to i64
  %p = getelementptr inbounds float, ptr %x, i64 %a.wide
  %left = load float, ptr %p
  %b = sub i32 %row, 3
  %c = add i32 %b, %k
  %c.wide = sext i32 %c to i64
  %q = getelementptr inbounds float, ptr %x, i64 %c.wide
  %right = load float, ptr %q
  %sum = fadd float %left, %right
  %d = add i32 %row, %k
  %d.wide = zext nneg i32 %d to i64
  %r = getelementptr inbounds float, ptr %y, i64 %d.wide
  store float %sum, ptr %r
  ret void
}
