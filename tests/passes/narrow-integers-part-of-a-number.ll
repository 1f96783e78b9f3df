; The difference of a number and a part of it, as its bits under a mask, is not negative, so it has 32 bits, whatever the
; mask is. The difference from another number may be negative.
; RUN-PASS: narrow-integers --offload-arch=sm_80
define i1 @kdsl_narrow_k(i32 %item, i32 %other, i64 %mask, i64 %size) "kdsl-narrow" {
; CHECK-LABEL: @kdsl_narrow_k(
; CHECK: [[PART:%.*]] = and i32
; CHECK: sub nuw i32 {{.*}}, [[PART]]
; CHECK: and i32
; CHECK: icmp ne i32
; CHECK: sub nsw i64
; CHECK: icmp ult i64
  %t = zext nneg i32 %item to i64
  %s = zext nneg i32 %other to i64
  %double = shl nuw nsw i64 %t, 1
  %part = and i64 %t, %mask
  %i = sub nsw i64 %double, %part
  %bits = and i64 %i, %size
  %any = icmp ne i64 %bits, 0
  %part.other = and i64 %s, %mask
  %j = sub nsw i64 %double, %part.other
  %bits.other = icmp ult i64 %j, %size
  %r = xor i1 %any, %bits.other
  ret i1 %r
}
