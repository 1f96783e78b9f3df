; At -O3, and in modules without vector code, it is LLVM's pipeline alone; at -O0 nothing happens.
; RUN-PASS: optimize --march=x86-64-v3 -O3
; CHECK: fmul <2 x double>
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
