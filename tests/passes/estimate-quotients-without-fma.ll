; A processor without fused multiply-add divides.
; RUN-PASS: estimate-quotients --march=x86-64-v2
define <4 x float> @f(<4 x float> %x, <4 x float> %y) {
; CHECK: fdiv arcp
  %q = fdiv arcp <4 x float> %x, %y
  ret <4 x float> %q
}
