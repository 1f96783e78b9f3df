; Shifts and masks are divisions by powers of two. By 64 the rows of 16 are divided further.
; RUN-PASS: delinearise-loops --march=x86-64-v3
; CHECK: items:
; CHECK: [[X:%.*]] = phi i64
; CHECK: icmp samesign ult i64 [[X]], 16
; CHECK: lshr i64 [[Y:%.*]], 2
; CHECK: [[AT:%.*]] = getelementptr [17 x float], ptr %tile, i64 [[Y]]
; CHECK: getelementptr float, ptr [[AT]], i64 [[X]]
; CHECK: icmp samesign ult i64 [[Y]], 16
; CHECK: br label %rows, !kdsl.rows
define void @f(ptr noalias %tile) {
entry:
  br label %items
items:
  %x = phi i64 [ 0, %entry ], [ %next, %latch ]
  %more = icmp slt i64 %x, 256
  br i1 %more, label %item, label %done
item:
  %y = lshr i64 %x, 4
  %c = and i64 %x, 15
  %box = lshr i64 %x, 6
  %b = trunc i64 %box to i32
  %p = getelementptr [17 x float], ptr %tile, i64 %y, i64 %c
  store i32 %b, ptr %p, align 4
  br label %latch
latch:
  %next = add nuw nsw i64 %x, 1
  br label %items, !kdsl.items !0
done:
  ret void
}
!0 = !{}
