; What is chosen by position between a place that moves along and one that does not is the first, inside.
; RUN-PASS: vectorize --march=x86-64-v3
; CHECK: br i1 {{%.*}}, label %split, label %{{row.edges|around}}
; CHECK: vectors:
; CHECK: load <8 x float>
; CHECK-NOT: extractelement
; CHECK: store <8 x float>
define void @f(ptr noalias %a, ptr noalias %c, i64 %n, i64 %m) {
entry:
  br label %head
head:
  %i = phi i64 [ 0, %entry ], [ %next, %latch ]
  %more = icmp slt i64 %i, %n
  br i1 %more, label %item, label %done
item:
  %is = icmp slt i64 %i, %m
  %j = select i1 %is, i64 %i, i64 %m
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
