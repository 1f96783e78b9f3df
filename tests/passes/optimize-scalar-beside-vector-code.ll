; A function in which a nest stayed scalar takes LLVM's pipeline with its SLP vectoriser, also beside vector code.
; RUN-PASS: optimize --march=x86-64-v3
; CHECK: define void @scalar(
; CHECK: fmul <2 x double>
; CHECK: define void @mixed(
; CHECK: fmul <2 x double>
; CHECK: define void @vector(
; CHECK-COUNT-2: fmul double
; CHECK-NOT: optnone
; CHECK-NOT: kdsl-
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
define void @mixed(ptr noalias %x) "kdsl-scalar" "kdsl-vector" {
  %q = getelementptr inbounds i8, ptr %x, i64 8
  %a = load double, ptr %x, align 8
  %b = load double, ptr %q, align 8
  %c = fmul double %a, 3.0
  %d = fmul double %b, 5.0
  store double %c, ptr %x, align 8
  store double %d, ptr %q, align 8
  ret void
}
define void @vector(ptr noalias %x) "kdsl-vector" {
  %q = getelementptr inbounds i8, ptr %x, i64 8
  %a = load double, ptr %x, align 8
  %b = load double, ptr %q, align 8
  %c = fmul double %a, 3.0
  %d = fmul double %b, 5.0
  store double %c, ptr %x, align 8
  store double %d, ptr %q, align 8
  ret void
}
