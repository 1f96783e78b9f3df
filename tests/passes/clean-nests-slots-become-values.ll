; A slot that vectorisation left becomes the value that was stored in it.
; RUN-PASS: clean-nests --march=x86-64-v3
define <8 x float> @slot(<8 x float> %a, i1 %c) "kdsl-nests" {
; CHECK-LABEL: @slot(
; CHECK-NOT: alloca
; CHECK: [[R:%[a-z0-9.]+]] = phi <8 x float> [ %twice, %then ], [ %a, %entry ]
; CHECK-NEXT: ret <8 x float> [[R]]
entry:
  %kept = alloca <8 x float>, align 32
  store <8 x float> %a, ptr %kept, align 32
  br i1 %c, label %then, label %out
then:
  %twice = fadd <8 x float> %a, %a
  store <8 x float> %twice, ptr %kept, align 32
  br label %out
out:
  %r = load <8 x float>, ptr %kept, align 32
  ret <8 x float> %r
}
