; u[(i - 3) >> 2]: with a sign the quotient goes up across 0, too. Four loads of a quarter are interleaved.
; RUN-PASS: vectorize --march=x86-64-v3
; CHECK: vectors:
; CHECK-COUNT-4: load <2 x float>
; CHECK: shufflevector <2 x float>
; CHECK: shufflevector <2 x float>
; CHECK: shufflevector <4 x float>
; CHECK: store <8 x float>
define void @f(ptr noalias %x, ptr noalias %y, i64 %n) {
entry:
  br label %head
head:
  %i = phi i64 [ 0, %entry ], [ %next, %latch ]
  %more = icmp slt i64 %i, %n
  br i1 %more, label %body, label %done
body:
  %j = add nsw i64 %i, -3
  %at = ashr i64 %j, 2
  %p = getelementptr float, ptr %x, i64 %at
  %v = load float, ptr %p, align 4
  %s = fmul float %v, %v
  %q = getelementptr float, ptr %y, i64 %i
  store float %s, ptr %q, align 4
  br label %latch
latch:
  %next = add nsw i64 %i, 1
  br label %head, !kdsl.items !0
done:
  ret void
}
!0 = !{}
