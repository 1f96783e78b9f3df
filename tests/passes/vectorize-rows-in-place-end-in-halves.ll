; Rows that are updated in place: the first load of a row would wait for the last store of the row before, if that were under
; a mask; so the end of a row is written in vectors of half as many lanes each time.
; RUN-PASS: vectorize --march=x86-64-v4
; CHECK-NOT: masked
; CHECK: half:
; CHECK: store <8 x float>
; CHECK: half{{[0-9]+}}:
; CHECK: store <4 x float>
; CHECK: half{{[0-9]+}}:
; CHECK: store <2 x float>
; CHECK: half{{[0-9]+}}:
; CHECK: store <1 x float>
; CHECK-NOT: masked
define void @f(ptr noalias %x, ptr noalias %y, i64 %m, i64 %n) {
entry:
  br label %rows
rows:
  %i = phi i64 [ 0, %entry ], [ %below, %rows.latch ]
  %more.rows = icmp slt i64 %i, %m
  br i1 %more.rows, label %row.begin, label %done
row.begin:
  br label %head
head:
  %j = phi i64 [ 0, %row.begin ], [ %next, %latch ]
  %more = icmp slt i64 %j, %n
  br i1 %more, label %body, label %rows.latch
body:
  %first = mul nsw i64 %i, %n
  %at = add nsw i64 %first, %j
  %p = getelementptr float, ptr %y, i64 %at
  %v = load float, ptr %p, align 4
  %q = getelementptr float, ptr %x, i64 %j
  %w = load float, ptr %q, align 4
  %s = fmul float %v, %w
  store float %s, ptr %p, align 4
  br label %latch
latch:
  %next = add nsw i64 %j, 1
  br label %head, !kdsl.items !0
rows.latch:
  %below = add nsw i64 %i, 1
  br label %rows, !kdsl.rows !0
done:
  ret void
}
!0 = !{}
