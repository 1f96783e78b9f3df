; Code for a CPU has no barriers of a GPU: the pass does not run there.
; RUN-PASS: check-barriers --march=x86-64-v3
define i32 @f(i32 %a) {
; CHECK-LABEL: @f(
; CHECK-NEXT: ret i32 %a
  ret i32 %a
}
