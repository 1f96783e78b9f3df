; Inside, a branch on position is not taken apart: an address from its usual side is linear. Another on data keeps its mask.
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
  %first = icmp eq i64 %i, 0
  br i1 %first, label %join, label %inner
inner:
  %b = add i64 %i, -1
  br label %join
join:
  %j = phi i64 [ 0, %item ], [ %b, %inner ]
  %p = getelementptr float, ptr %a, i64 %j
  %w = load float, ptr %p, align 4
  %small = fcmp olt float %w, 1.0
  br i1 %small, label %then, label %meet
then:
  %x = fsub float 1.0, %w
  br label %meet
meet:
  %v = phi float [ %w, %join ], [ %x, %then ]
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
