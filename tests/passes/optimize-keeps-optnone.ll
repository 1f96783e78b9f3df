; What is optnone already stays so, and is not changed.
; RUN-PASS: optimize --march=x86-64-v3
; CHECK: define void @large(ptr {{.*}} [[LARGE:#[0-9]+]] {
; CHECK: %twice = fadd double %a, 0.000000e+00
; CHECK: define void @scalar(
; CHECK: attributes [[LARGE]] = { noinline optnone
define void @large(ptr %x) noinline optnone "kdsl-vector" {
  %a = load double, ptr %x, align 8
  %twice = fadd double %a, 0.0
  ret void
}
define void @scalar(ptr noalias %x) "kdsl-scalar" {
  %q = getelementptr inbounds i8, ptr %x, i64 8
  %a = load double, ptr %x, align 8
  %b = load double, ptr %q, align 8
  %c = fmul double %a, 3.0
  %d = fmul double %b, 5.0
  store double %c, ptr %x, align 8
  store double %d, ptr %q, align 8
  ret void
}
