; A nest of rows: what only the row decides is loaded once for it; rows of half a vector stay as they were.
; RUN-PASS: vectorize --march=x86-64-v4
; CHECK: [[SHORT:%.*]] = icmp sle i64 {{%.*}}, 8
; CHECK-NEXT: br i1 [[SHORT]], label %rows, label %simd
; CHECK: vectors:
; CHECK: [[W:%.*]] = load float, ptr {{%.*}}, align 4
; CHECK: insertelement <16 x float> poison, float [[W]]
; CHECK: fmul <16 x float>
; CHECK: store <16 x float>
define void @f(ptr noalias %x, ptr noalias %y, ptr noalias %z, i64 %m, i64 %n) {
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
  %p = getelementptr float, ptr %x, i64 %i
  %v = load float, ptr %p, align 4
  %q = getelementptr float, ptr %y, i64 %j
  %w = load float, ptr %q, align 4
  %s = fmul float %v, %w
  %start = mul nsw i64 %j, %n
  %at = add nsw i64 %start, %i
  %r = getelementptr float, ptr %z, i64 %at
  store float %s, ptr %r, align 4
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
