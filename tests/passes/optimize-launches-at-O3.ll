; At -O3 what runs once for each launch takes LLVM's pipeline like all else.
; RUN-PASS: optimize --march=x86-64-v3 -O3
; CHECK: define void @entry(
; CHECK-NOT: add i64
; CHECK-NOT: optnone
; CHECK-NOT: kdsl-launch
define void @entry(ptr %x) "kdsl-launch" {
  %a = load i64, ptr %x, align 8
  %same = add i64 %a, 0
  store i64 %same, ptr %x, align 8
  ret void
}
