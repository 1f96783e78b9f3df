; The numbers of a block go around more than once: there is no version for those that do not.
; RUN-PASS: vectorize --march=x86-64-v3 --vector=always
; CHECK-LABEL: define void @f(
; CHECK-NOT: inside
define void @f(ptr noalias %a, ptr noalias %c, i64 %n) {
entry:
  br label %head
head:
  %i = phi i64 [ 0, %entry ], [ %next, %latch ]
  %more = icmp slt i64 %i, %n
  br i1 %more, label %item, label %done
item:
  %b = mul nsw i64 %i, 37
  %j = and i64 %b, 255
  %p = getelementptr float, ptr %a, i64 %j
  %v = load float, ptr %p, align 4
  %r = getelementptr float, ptr %c, i64 %i
  store float %v, ptr %r, align 4
  br label %latch
latch:
  %next = add nsw i64 %i, 1
  br label %head, !kdsl.items !0
done:
  ret void
}
!0 = !{}
