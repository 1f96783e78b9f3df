; 64 items that divide their index by 16 are rows of 16: the quotient is the counter of the rows.
; RUN-PASS: delinearise-loops --march=x86-64-v3
; CHECK: items:
; CHECK: [[X:%.*]] = phi i64
; CHECK: icmp samesign ult i64 [[X]], 16
; CHECK: [[AT:%.*]] = getelementptr [17 x float], ptr %tile, i64 [[Y:%.*]]
; CHECK: getelementptr float, ptr [[AT]], i64 [[X]]
; CHECK: br label %items, !kdsl.items
; CHECK: rows:
; CHECK: [[Y]] = phi i64
; CHECK: icmp samesign ult i64 [[Y]], 4
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
  store float 1.0, ptr %p, align 4
  br label %latch
latch:
  %next = add nuw nsw i64 %x, 1
  br label %items, !kdsl.items !0
done:
  ret void
}
!0 = !{}
