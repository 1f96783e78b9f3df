; The bits below a power of two are a remainder, which goes on evenly where it does not begin anew in the block.
; RUN-PASS: vectorize --march=x86-64-v3
; CHECK: vectors{{[0-9]*}}:
; CHECK: br i1 {{%.*}}, label %inside, label %edge
; CHECK: inside:
; CHECK: [[J:%.*]] = and i64 {{%.*}}, 255
; CHECK: [[P:%.*]] = getelementptr float, ptr %a, i64 [[J]]
; CHECK: load <8 x float>, ptr [[P]]
define void @f(ptr noalias %a, ptr noalias %c, i64 %n) {
entry:
  br label %head
head:
  %i = phi i64 [ 0, %entry ], [ %next, %latch ]
  %more = icmp slt i64 %i, %n
  br i1 %more, label %item, label %done
item:
  %b = add i64 %i, 255
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
