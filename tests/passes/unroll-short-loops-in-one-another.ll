; A matrix of each item: once the inner loop is unrolled, the loop around it fills the rest of what lies between neighbours.
; RUN-PASS: unroll-short-loops --march=x86-64-v3
; CHECK-LABEL: define void @f
; CHECK: phi i64 [ 0, %entry ]
; CHECK-NOT: phi i64
; CHECK-COUNT-9: store float
define void @f(ptr noalias %d, ptr noalias %a, i64 %n) {
entry:
  br label %head
head:
  %i = phi i64 [ 0, %entry ], [ %next, %latch ]
  %more = icmp slt i64 %i, %n
  br i1 %more, label %item, label %done
item:
  %first = mul nsw i64 %i, 9
  br label %outer
outer:
  %r = phi i64 [ 0, %item ], [ %r1, %outer.round ]
  %rows = icmp slt i64 %r, 3
  br i1 %rows, label %row, label %after
row:
  %down = mul nsw i64 %r, 3
  %line = add nsw i64 %first, %down
  br label %loop
loop:
  %c = phi i64 [ 0, %row ], [ %c1, %round ]
  %again = icmp slt i64 %c, 3
  br i1 %again, label %body, label %outer.round
body:
  %at = add nsw i64 %line, %c
  %p = getelementptr float, ptr %a, i64 %at
  %v = load float, ptr %p, align 4
  %q = getelementptr float, ptr %d, i64 %at
  store float %v, ptr %q, align 4
  br label %round
round:
  %c1 = add nsw i64 %c, 1
  br label %loop
outer.round:
  %r1 = add nsw i64 %r, 1
  br label %outer
after:
  br label %latch
latch:
  %next = add nsw i64 %i, 1
  br label %head, !kdsl.items !0
done:
  ret void
}
!0 = !{}
