; What runs once for each launch is left as it is, beside vector code and beside scalar code.
; RUN-PASS: optimize --march=x86-64-v3
; CHECK: define void @entry(ptr {{.*}} [[LEFT:#[0-9]+]] {
; CHECK: %same = add i64 %a, 0
; CHECK: call void @kernel(
; CHECK-NOT: kdsl-launch
; CHECK: attributes [[LEFT]] = { noinline optnone
define internal void @kernel(ptr %x, i64 %n) "kdsl-vector" {
  store i64 %n, ptr %x, align 8
  ret void
}
define void @entry(ptr %x) "kdsl-launch" {
  %a = load i64, ptr %x, align 8
  %same = add i64 %a, 0
  call void @kernel(ptr %x, i64 %same)
  ret void
}
