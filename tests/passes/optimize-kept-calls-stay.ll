; A function that a nest calls stays a call, and takes LLVM's pipeline.
; RUN-PASS: optimize --march=x86-64-v3
; CHECK: define internal fastcc void @kept(ptr {{.*}} [[KEPT:#[0-9]+]] {
; CHECK: fmul <2 x double>
; CHECK: call fastcc void @kept(
; CHECK-NOT: optnone
; CHECK: attributes [[KEPT]] = { {{.*}}noinline
define internal void @kept(ptr noalias %x) noinline "kdsl-kept-call"="kept" {
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
  call void @kept(ptr %x)
  ret void
}
