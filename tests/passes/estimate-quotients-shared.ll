; Two quotients by one number have one estimate, and one step. The factor is limited from below, which makes a NaN a number.
; RUN-PASS: estimate-quotients --march=x86-64-v3
define <8 x float> @f(<8 x float> %x, <8 x float> %y, <8 x float> %by) {
; CHECK-LABEL: @f(
; CHECK: call <8 x float> @llvm.x86.avx.rcp.ps.256(<8 x float> %by)
; CHECK-NOT: rcp
; CHECK: fcmp ogt <8 x float>
; CHECK-NEXT: select <8 x i1>
; CHECK-NOT: {{select|rcp|fdiv}}
; CHECK: ret
  %a = fdiv arcp <8 x float> %x, %by
  %b = fdiv arcp <8 x float> %y, %by
  %c = fadd <8 x float> %a, %b
  ret <8 x float> %c
}
