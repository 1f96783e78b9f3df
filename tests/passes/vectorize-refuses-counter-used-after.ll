; A counter that is used after its loop is not taken away: the loop is left as it was.
; RUN-PASS: vectorize --march=x86-64-v3
; CHECK-LABEL: define void @f(
; CHECK-NOT: <{{[0-9]+}} x
; CHECK: br label %head, !kdsl.items
; CHECK-NOT: <{{[0-9]+}} x
define void @f(ptr noalias %x, ptr noalias %y, i64 %n) {
entry:
  br label %head
head:
  %i = phi i64 [ 0, %entry ], [ %next, %latch ]
  %more = icmp slt i64 %i, %n
  br i1 %more, label %body, label %done
body:
  %p = getelementptr float, ptr %x, i64 %i
  store float 1.0, ptr %p, align 4
  br label %latch
latch:
  %next = add nsw i64 %i, 1
  br label %head, !kdsl.items !0
done:
  store i64 %i, ptr %y, align 8
  ret void
}
!0 = !{}
