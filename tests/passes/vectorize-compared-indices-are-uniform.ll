; `i ^ gap` counts with i in a block that gap leaves contiguous: which of the two is greater is the same for all items of it.
; RUN-PASS: vectorize --march=x86-64-v3
; CHECK: version:
; CHECK: [[P:%.*]] = xor i64 [[I:%.*]], %gap
; CHECK: icmp sgt i64 [[P]], [[I]]
; CHECK: load <8 x float>
define void @f(ptr noalias %x, ptr noalias %y, i64 %n, i64 %gap) {
entry:
  br label %head
head:
  %i = phi i64 [ 0, %entry ], [ %next, %latch ]
  %more = icmp slt i64 %i, %n
  br i1 %more, label %item, label %done
item:
  %p = xor i64 %i, %gap
  %above = icmp sgt i64 %p, %i
  br i1 %above, label %then, label %latch
then:
  %from = getelementptr float, ptr %x, i64 %p
  %v = load float, ptr %from, align 4
  %to = getelementptr float, ptr %y, i64 %i
  store float %v, ptr %to, align 4
  br label %latch
latch:
  %next = add nuw nsw i64 %i, 1
  br label %head, !kdsl.items !0
done:
  ret void
}
!0 = !{}
