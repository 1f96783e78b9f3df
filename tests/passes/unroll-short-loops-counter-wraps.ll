; A counter of 8 bits whose last step wraps: 120, 123, 126, -127, ... has more iterations than its bounds say.
; RUN-PASS: unroll-short-loops --march=x86-64-v3
; CHECK: phi i8 [ 120,
define void @f(ptr noalias %x, i64 %n) {
entry:
  br label %head
head:
  %i = phi i64 [ 0, %entry ], [ %next, %latch ]
  %more = icmp slt i64 %i, %n
  br i1 %more, label %body, label %done
body:
  %row = mul nsw i64 %i, 12
  br label %loop
loop:
  %c = phi i8 [ 120, %body ], [ %c1, %round ]
  %again = icmp slt i8 %c, 127
  br i1 %again, label %round, label %after
round:
  %k = sext i8 %c to i64
  %at = add nsw i64 %row, %k
  %p = getelementptr i8, ptr %x, i64 %at
  store i8 1, ptr %p, align 1
  %c1 = add i8 %c, 3
  br label %loop
after:
  br label %latch
latch:
  %next = add nsw i64 %i, 1
  br label %head, !kdsl.items !0
done:
  ret void
}
!0 = !{}
