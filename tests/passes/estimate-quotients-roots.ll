; A root that is used itself stays a root; with AVX-512 it is an estimate and a step, except for 0 and infinity.
; RUN-PASS: estimate-quotients --march=x86-64-v4
define <16 x float> @both(<16 x float> %x) {
; CHECK-LABEL: @both(
; CHECK-COUNT-1: llvm.x86.avx512.rsqrt14.ps.512
; CHECK: call <16 x i1> @llvm.is.fpclass.v16f32(<16 x float> %x, i32 608)
; CHECK-NOT: {{llvm.sqrt|fdiv}}
; CHECK: ret
  %s = call afn <16 x float> @llvm.sqrt.v16f32(<16 x float> %x)
  %r = fdiv arcp <16 x float> splat (float 1.0), %s
  %sum = fadd <16 x float> %s, %r
  ret <16 x float> %sum
}
