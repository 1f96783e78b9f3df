; Seventeen iterations are not few.
; RUN-PASS: unroll-short-loops --march=x86-64-v3
; CHECK: phi i64
; CHECK: phi i64 [ 0, %item ]
define void @f(ptr noalias %d, ptr noalias %a, i64 %n) {
entry:
  br label %head
head:
  %i = phi i64 [ 0, %entry ], [ %next, %latch ]
  %more = icmp slt i64 %i, %n
  br i1 %more, label %item, label %done
item:
  %first = mul nsw i64 %i, 17
  br label %loop
loop:
  %c = phi i64 [ 0, %item ], [ %c1, %round ]
  %again = icmp slt i64 %c, 17
  br i1 %again, label %body, label %after
body:
  %at = add nsw i64 %first, %c
  %p = getelementptr float, ptr %a, i64 %at
  %v = load float, ptr %p, align 4
  %q = getelementptr float, ptr %d, i64 %at
  store float %v, ptr %q, align 4
  br label %round
round:
  %c1 = add nsw i64 %c, 1
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
