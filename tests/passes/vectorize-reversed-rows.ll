; Elements that go down as the items go up are one vector, turned around.
; RUN-PASS: vectorize --march=x86-64-v3
; CHECK: vectors:
; CHECK: [[V:%.*]] = load <8 x float>
; CHECK: shufflevector <8 x float> [[V]], <8 x float> poison, <8 x i32> <i32 7, i32 6, i32 5, i32 4,
; CHECK: store <8 x float>
define void @f(ptr noalias %x, ptr noalias %y, i64 %n) {
entry:
  br label %head
head:
  %i = phi i64 [ 0, %entry ], [ %next, %latch ]
  %more = icmp slt i64 %i, %n
  br i1 %more, label %body, label %done
body:
  %at = sub nsw i64 %n, %i
  %p = getelementptr float, ptr %x, i64 %at
  %v = load float, ptr %p, align 4
  %q = getelementptr float, ptr %y, i64 %i
  store float %v, ptr %q, align 4
  br label %latch
latch:
  %next = add nsw i64 %i, 1
  br label %head, !kdsl.items !0
done:
  ret void
}
!0 = !{}
