; Functions that are all vector code take the short pipeline, which has no SLP vectoriser; their mark goes.
; RUN-PASS: optimize --march=x86-64-v3
; CHECK: define void @f(ptr {{.*}}) {{.*}}[[OWN:#[0-9]+]] {
; CHECK-COUNT-2: fmul double
; CHECK-NOT: kdsl-
define void @f(ptr noalias %x) "kdsl-vector" {
  %q = getelementptr inbounds i8, ptr %x, i64 8
  %a = load double, ptr %x, align 8
  %b = load double, ptr %q, align 8
  %c = fmul double %a, 3.0
  %d = fmul double %b, 5.0
  store double %c, ptr %x, align 8
  store double %d, ptr %q, align 8
  ret void
}
