; The index itself is 16 times the row plus the column, and what an item has computed for the next is left to the loop.
; RUN-PASS: delinearise-loops --march=x86-64-v3
; CHECK: items:
; CHECK: [[X:%.*]] = phi i64
; CHECK: [[BEFORE:%.*]] = shl nuw nsw i64 [[Y:%.*]], 4
; CHECK: [[INDEX:%.*]] = or disjoint i64 [[BEFORE]], [[X]]
; CHECK: store i64 [[INDEX]]
; CHECK: add nuw nsw i64 [[INDEX]], 1
; CHECK: latch:
; CHECK: add nuw nsw i64 [[X]], 1
; CHECK: br label %rows, !kdsl.rows
define void @f(ptr noalias %tile) {
entry:
  br label %items
items:
  %x = phi i64 [ 0, %entry ], [ %next, %latch ]
  %more = icmp slt i64 %x, 64
  br i1 %more, label %item, label %done
item:
  %y = udiv i64 %x, 16
  %c = urem i64 %x, 16
  %p = getelementptr [17 x float], ptr %tile, i64 %y, i64 %c
  store i64 %x, ptr %p, align 4
  %next = add nuw nsw i64 %x, 1
  %q = getelementptr i64, ptr %p, i64 %next
  store i64 %next, ptr %q
  br label %latch
latch:
  br label %items, !kdsl.items !0
done:
  ret void
}
!0 = !{}
