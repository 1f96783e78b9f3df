; What may be written stays atomic: not `noalias`, not `readonly`, one of two arrays; and in a function, which has other callers.
; RUN-PASS: plain-loads --offload-arch=sm_90
define ptx_kernel void @k(ptr noalias readonly %a, ptr readonly %b, ptr noalias %c, i1 %which, ptr noalias %out) {
; CHECK-LABEL: @k(
; CHECK: load i32, ptr %a
; CHECK: load atomic i32, ptr %b
; CHECK: load atomic i32, ptr %c
; CHECK: load atomic i32, ptr %one
; CHECK: load i32, ptr %part
  %va = load atomic i32, ptr %a syncscope("device") monotonic, align 4
  %vb = load atomic i32, ptr %b monotonic, align 4
  %vc = load atomic i32, ptr %c monotonic, align 4
  %one = select i1 %which, ptr %a, ptr %c
  %vd = load atomic i32, ptr %one monotonic, align 4
  %behind = getelementptr i32, ptr %a, i64 4
  %part = select i1 %which, ptr %a, ptr %behind
  %ve = load atomic i32, ptr %part monotonic, align 4
  %s1 = add i32 %va, %vb
  %s2 = add i32 %s1, %vc
  %s3 = add i32 %s2, %vd
  %s4 = add i32 %s3, %ve
  store i32 %s4, ptr %out
  ret void
}
define i32 @f(ptr noalias readonly %a) {
; CHECK-LABEL: @f(
; CHECK: load atomic i32, ptr %a
  %v = load atomic i32, ptr %a monotonic, align 4
  ret i32 %v
}
