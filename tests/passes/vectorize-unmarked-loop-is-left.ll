; A loop without the mark of loops over items is LLVM's to vectorise.
; RUN-PASS: vectorize --march=x86-64-v4
; CHECK-LABEL: define void @f(
; CHECK-NOT: <{{[0-9]+}} x
; CHECK: br label %head
; CHECK-NOT: "prefer-vector-width"
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
  %s = fmul float %v, %v
  %q = getelementptr float, ptr %y, i64 %i
  store float %s, ptr %q, align 4
  br label %latch
latch:
  %next = add nsw i64 %i, 1
  br label %head
done:
  ret void
}
!0 = !{}
