; A remainder goes on evenly where it does not begin anew in the block. No divisor is 0 where it is asked. If it begins
; anew in each vector, there is another version, which is written first.
; RUN-PASS: vectorize --march=x86-64-v3
; CHECK: icmp ult i64 {{%.*}}, 8
; CHECK: else:
; CHECK: vectors{{[0-9]+}}:
; CHECK: [[POS:%.*]] = icmp sgt i64 {{%.*}}, 0
; CHECK: [[BY:%.*]] = select i1 [[POS]], i64 {{%.*}}, i64 1
; CHECK: urem i64 {{%.*}}, [[BY]]
; CHECK: br i1 {{%.*}}, label %inside, label %edge
; CHECK: inside:
; CHECK: [[J:%.*]] = srem i64
; CHECK: [[P:%.*]] = getelementptr float, ptr %a, i64 [[J]]
; CHECK: load <8 x float>, ptr [[P]]
; CHECK: store <8 x float>
define void @f(ptr noalias %a, ptr noalias %c, i64 %n, i64 %m) {
entry:
  br label %head
head:
  %i = phi i64 [ 0, %entry ], [ %next, %latch ]
  %more = icmp slt i64 %i, %n
  br i1 %more, label %item, label %done
item:
  %b = add nsw i64 %i, 3
  %j = srem i64 %b, %m
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
