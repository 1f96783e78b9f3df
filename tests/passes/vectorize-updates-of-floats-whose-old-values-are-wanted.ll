; The sum of what the items before one have brought would be rounded in another order: lane by lane.
; RUN-PASS: vectorize --march=x86-64-v4 --vector=always
; CHECK-LABEL: define void @f(
; CHECK-COUNT-16: call float @kdsl.update.add.f32(ptr %at, float
define void @f(ptr noalias %s, ptr noalias %x, ptr noalias %y, i64 %n, i64 %k) {
entry:
  %at = getelementptr float, ptr %s, i64 %k
  br label %head
head:
  %i = phi i64 [ 0, %entry ], [ %next, %latch ]
  %more = icmp slt i64 %i, %n
  br i1 %more, label %body, label %done
body:
  %p = getelementptr float, ptr %x, i64 %i
  %v = load float, ptr %p, align 4
  %a = call float @kdsl.update.add.f32(ptr %at, float %v)
  %q = getelementptr float, ptr %y, i64 %i
  store float %a, ptr %q, align 4
  br label %latch
latch:
  %next = add nsw i64 %i, 1
  br label %head, !kdsl.items !0
done:
  ret void
}
declare float @kdsl.update.add.f32(ptr, float)
!0 = !{}
