; Elements a constant number of places apart are loaded one by one on AVX2, and not gathered.
; RUN-PASS: vectorize --march=x86-64-v3
; CHECK-LABEL: define void @f(
; CHECK-NOT: gather
; CHECK: vectors:
; CHECK: getelementptr i8, ptr {{%.*}}, i64 28
; CHECK-COUNT-8: insertelement <8 x float>
; CHECK: fmul <8 x float>
; CHECK-NOT: gather
define void @f(ptr noalias %x, ptr noalias %y, i64 %n) {
entry:
  br label %head
head:
  %i = phi i64 [ 0, %entry ], [ %next, %latch ]
  %more = icmp slt i64 %i, %n
  br i1 %more, label %body, label %done
body:
  %at = mul nsw i64 %i, 7
  %p = getelementptr float, ptr %x, i64 %at
  %v = load float, ptr %p, align 4
  %s = fmul float %v, %v
  %t = fadd float %s, %v
  %q = getelementptr float, ptr %y, i64 %i
  store float %t, ptr %q, align 4
  br label %latch
latch:
  %next = add nsw i64 %i, 1
  br label %head, !kdsl.items !0
done:
  ret void
}
!0 = !{}
