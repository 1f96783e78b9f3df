; A value that is the same for all items, stored to one place, is stored once for a block.
; RUN-PASS: vectorize --march=x86-64-v3
; CHECK: {{(vectors|pieces)}}:
; CHECK: store float %v, ptr %x, align 4
; CHECK-NOT: <8 x float>
; CHECK-NOT: scatter
define void @f(ptr noalias %x, float %v, i64 %n) {
entry:
  br label %head
head:
  %i = phi i64 [ 0, %entry ], [ %next, %latch ]
  %more = icmp slt i64 %i, %n
  br i1 %more, label %body, label %done
body:
  store float %v, ptr %x, align 4
  br label %latch
latch:
  %next = add nsw i64 %i, 1
  br label %head, !kdsl.items !0
done:
  ret void
}
!0 = !{}
