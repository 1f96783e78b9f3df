; A selection is not predictable if it decides, by way of the loop, which element the next one is decided by: a binary
; search, also of integers, and the larger child in a heap. A running maximum, and a choice between two elements whose
; places are known, are left to LLVM.
; RUN-PASS: mark-searches --march=x86-64-v3
define i64 @binary(ptr %a, double %x, i64 %n) {
; CHECK-LABEL: @binary(
; CHECK: %new_low = select i1 %less, i64 %middle, i64 %low, !unpredictable
; CHECK: %new_high = select i1 %less, i64 %high, i64 %middle, !unpredictable
entry:
  br label %loop
loop:
  %low = phi i64 [ 0, %entry ], [ %new_low, %loop ]
  %high = phi i64 [ %n, %entry ], [ %new_high, %loop ]
  %sum = add i64 %low, %high
  %middle = lshr i64 %sum, 1
  %at = getelementptr double, ptr %a, i64 %middle
  %v = load double, ptr %at
  %less = fcmp olt double %v, %x
  %new_low = select i1 %less, i64 %middle, i64 %low
  %new_high = select i1 %less, i64 %high, i64 %middle
  %left = sub i64 %new_high, %new_low
  %more = icmp ugt i64 %left, 1
  br i1 %more, label %loop, label %done
done:
  ret i64 %new_low
}
define void @sift(ptr %heap, i64 %n) {
; CHECK-LABEL: @sift(
; CHECK: %child = select i1 %right_is_larger, i64 %right, i64 %left, !unpredictable
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %child, %loop ]
  %twice = shl i64 %i, 1
  %left = or i64 %twice, 1
  %right = add i64 %twice, 2
  %l.at = getelementptr i32, ptr %heap, i64 %left
  %r.at = getelementptr i32, ptr %heap, i64 %right
  %l = load i32, ptr %l.at
  %r = load i32, ptr %r.at
  %right_is_larger = icmp slt i32 %l, %r
  %child = select i1 %right_is_larger, i64 %right, i64 %left
  %more = icmp slt i64 %child, %n
  br i1 %more, label %loop, label %done
done:
  ret void
}
define i64 @where(ptr %a, i64 %n) {
; CHECK-LABEL: @where(
; CHECK-NOT: unpredictable
; CHECK: ret i64
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %most = phi i32 [ 0, %entry ], [ %new_most, %loop ]
  %best = phi i64 [ 0, %entry ], [ %new_best, %loop ]
  %at = getelementptr i32, ptr %a, i64 %i
  %v = load i32, ptr %at
  %larger = icmp sgt i32 %v, %most
  %new_most = select i1 %larger, i32 %v, i32 %most
  %new_best = select i1 %larger, i64 %i, i64 %best
  %next = add i64 %i, 1
  %more = icmp slt i64 %next, %n
  br i1 %more, label %loop, label %done
done:
  ret i64 %new_best
}
define i32 @once(ptr %a, ptr %b, i64 %i) {
; CHECK-LABEL: @once(
; CHECK-NOT: unpredictable
; CHECK: ret i32
entry:
  %at = getelementptr i32, ptr %a, i64 %i
  %v = load i32, ptr %at
  %positive = icmp sgt i32 %v, 0
  %k = select i1 %positive, i64 %i, i64 0
  %b.at = getelementptr i32, ptr %b, i64 %k
  %w = load i32, ptr %b.at
  ret i32 %w
}
