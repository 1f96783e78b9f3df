; A row whose length is a multiple of the vectors' needs no mask.
; RUN-PASS: vectorize --march=x86-64-v4
; CHECK-LABEL: define void @f(
; CHECK-NOT: llvm.masked
; CHECK: fmul <16 x float>
; CHECK-NOT: llvm.masked
define void @f(ptr noalias %x, ptr noalias %y) {
entry:
  br label %head
head:
  %i = phi i64 [ 0, %entry ], [ %next, %latch ]
  %more = icmp slt i64 %i, 64
  br i1 %more, label %body, label %done
body:
  %p = getelementptr float, ptr %x, i64 %i
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
