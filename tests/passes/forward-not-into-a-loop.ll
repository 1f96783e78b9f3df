; A loop's header is reached on two paths, so what is known before it is not known in it.
; RUN-PASS: forward --march=x86-64-v3
define float @turns(float %v, i64 %n) "kdsl-nests" {
; CHECK-LABEL: @turns(
; CHECK: store float %v, ptr %m
; CHECK: loop:
; CHECK: %r = load float, ptr %m
; CHECK: store float %s, ptr %m
; CHECK: out:
; CHECK-NOT: load
; CHECK: ret float %s
entry:
  %at = alloca [8 x float], align 32
  %m = call ptr @kdsl.group.memory(ptr %at)
  store float %v, ptr %m, align 4
  br label %loop
loop:
  %k = phi i64 [ 0, %entry ], [ %k1, %loop ]
  %r = load float, ptr %m, align 4
  %s = fadd float %r, 1.0
  store float %s, ptr %m, align 4
  %k1 = add i64 %k, 1
  %go = icmp slt i64 %k1, %n
  br i1 %go, label %loop, label %out
out:
  ret float %s
}
declare ptr @kdsl.group.memory(ptr)
