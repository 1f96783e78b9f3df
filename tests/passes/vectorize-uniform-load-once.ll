; An element that all items read is loaded once.
; RUN-PASS: vectorize --march=x86-64-v3
; CHECK: vectors:
; CHECK: load float, ptr %y
; CHECK-NOT: load float
; CHECK: fmul <8 x float>
; CHECK: store <8 x float>
define void @f(ptr noalias %x, ptr noalias %y, i64 %n) {
entry:
  br label %head
head:
  %i = phi i64 [ 0, %entry ], [ %next, %latch ]
  %more = icmp slt i64 %i, %n
  br i1 %more, label %body, label %done
body:
  %p = getelementptr float, ptr %x, i64 %i
  %v = load float, ptr %p, align 4
  %w = load float, ptr %y, align 4
  %s = fmul float %v, %w
  store float %s, ptr %p, align 4
  br label %latch
latch:
  %next = add nsw i64 %i, 1
  br label %head, !kdsl.items !0
done:
  ret void
}
!0 = !{}
