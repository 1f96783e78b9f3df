; Blocks that follow one another without a branch are one; a branch ends what is known.
; RUN-PASS: forward --march=x86-64-v3
define float @chain(float %v, i1 %c) "kdsl-nests" {
; CHECK-LABEL: @chain(
; CHECK: next:
; CHECK-NEXT: %u = fadd float %v, %v
; CHECK: then:
; CHECK: load float, ptr %m
entry:
  %at = alloca [8 x float], align 32
  %m = call ptr @kdsl.group.memory(ptr %at)
  store float %v, ptr %m, align 4
  br label %next
next:
  %r = load float, ptr %m, align 4
  %u = fadd float %r, %r
  br i1 %c, label %then, label %out
then:
  %s = load float, ptr %m, align 4
  br label %out
out:
  %t = phi float [ %u, %next ], [ %s, %then ]
  ret float %t
}
declare ptr @kdsl.group.memory(ptr)
