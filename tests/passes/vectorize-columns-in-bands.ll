; Rows that read down columns: a block has 8 of the 16 numbers of a line, so four blocks below one another are executed
; before the next ones along the row. On AVX-512 a block has a line.
; RUN-PASS: vectorize --march=x86-64-v3
; CHECK: bands:
; CHECK: [[END:%.*]] = add nsw i64 {{%.*}}, 32
; CHECK: icmp slt i64 [[END]],
; CHECK: vectors:
; CHECK: band:
; CHECK-COUNT-16: load <8 x float>
define void @f(ptr noalias %x, ptr noalias %z, i64 %m, i64 %n) {
entry:
  br label %rows
rows:
  %j = phi i64 [ 0, %entry ], [ %down, %row.end ]
  %below = icmp slt i64 %j, %m
  br i1 %below, label %row, label %done
row:
  br label %head
head:
  %i = phi i64 [ 0, %row ], [ %next, %latch ]
  %more = icmp slt i64 %i, %n
  br i1 %more, label %body, label %row.end
body:
  %column = mul nsw i64 %i, %m
  %from = add nsw i64 %column, %j
  %p = getelementptr float, ptr %x, i64 %from
  %v = load float, ptr %p, align 4
  %start = mul nsw i64 %j, %n
  %at = add nsw i64 %start, %i
  %r = getelementptr float, ptr %z, i64 %at
  store float %v, ptr %r, align 4
  br label %latch
latch:
  %next = add nsw i64 %i, 1
  br label %head, !kdsl.items !0
row.end:
  %down = add nsw i64 %j, 1
  br label %rows, !kdsl.rows !0
done:
  ret void
}
!0 = !{}
