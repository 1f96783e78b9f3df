; A loop that counts in 32 bits is none over items, which are counted in 64: it is left as it was.
; RUN-PASS: vectorize --march=x86-64-v3
; CHECK-LABEL: define void @f(
; CHECK-NOT: <{{[0-9]+}} x
; CHECK: br label %head, !kdsl.items
; CHECK-NOT: <{{[0-9]+}} x
define void @f(ptr noalias %x, i32 %n) {
entry:
  br label %head
head:
  %i = phi i32 [ 0, %entry ], [ %next, %latch ]
  %more = icmp slt i32 %i, %n
  br i1 %more, label %body, label %done
body:
  %p = getelementptr float, ptr %x, i32 %i
  store float 1.0, ptr %p, align 4
  br label %latch
latch:
  %next = add nsw i32 %i, 1
  br label %head, !kdsl.items !0
done:
  ret void
}
!0 = !{}
