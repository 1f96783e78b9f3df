; Three neighbouring elements of each item are loaded as vectors of all of them, and sorted by shuffles.
; RUN-PASS: vectorize --march=x86-64-v4
; CHECK-LABEL: define void @f(
; CHECK: vectors:
; CHECK: load <16 x float>
; CHECK: shufflevector <16 x float>
; CHECK-NOT: gather
; CHECK: store <16 x float>
define void @f(ptr noalias %x, ptr noalias %y, i64 %n) {
entry:
  br label %head
head:
  %i = phi i64 [ 0, %entry ], [ %next, %latch ]
  %more = icmp slt i64 %i, %n
  br i1 %more, label %body, label %done
body:
  %at = mul nsw i64 %i, 3
  %p = getelementptr float, ptr %x, i64 %at
  %a = load float, ptr %p, align 4
  %p1 = getelementptr i8, ptr %p, i64 4
  %b = load float, ptr %p1, align 4
  %p2 = getelementptr i8, ptr %p, i64 8
  %c = load float, ptr %p2, align 4
  %ab = fadd float %a, %b
  %abc = fmul float %ab, %c
  %q = getelementptr float, ptr %y, i64 %i
  store float %abc, ptr %q, align 4
  br label %latch
latch:
  %next = add nsw i64 %i, 1
  br label %head, !kdsl.items !0
done:
  ret void
}
!0 = !{}
