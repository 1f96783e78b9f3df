; Items below one another write side by side, neighbours write places that are 68 bytes apart: as many rows as a vector has lanes
; are transposed, and each lane's column is stored as a vector.
; RUN-PASS: vectorize --march=x86-64-v3
; CHECK-COUNT-8: load <8 x float>
; CHECK-NOT: scatter
; CHECK-COUNT-8: shufflevector <8 x float>
; CHECK-COUNT-8: store <8 x float>
define void @f(ptr noalias %x, ptr noalias %z, i64 %n) {
entry:
  br label %rows
rows:
  %j = phi i64 [ 0, %entry ], [ %down, %row.end ]
  %below = icmp slt i64 %j, 16
  br i1 %below, label %row, label %done
row:
  br label %head
head:
  %i = phi i64 [ 0, %row ], [ %next, %latch ]
  %more = icmp slt i64 %i, 16
  br i1 %more, label %body, label %row.end
body:
  %start = mul nsw i64 %j, %n
  %at = add nsw i64 %start, %i
  %p = getelementptr float, ptr %x, i64 %at
  %v = load float, ptr %p, align 4
  %column = mul nsw i64 %i, 17
  %to = add nsw i64 %column, %j
  %r = getelementptr float, ptr %z, i64 %to
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
