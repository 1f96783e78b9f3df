; A minimum that depends on itself, in the iteration before, becomes a selection that is not predictable: here of a table
; of edit distances. The least of all numbers so far, or of several groups of them, stays, and so does one outside of loops.
; RUN-PASS: mark-searches --march=x86-64-v3
define void @distance(ptr %row, i64 %n) {
; CHECK-LABEL: define void @distance(
; CHECK: %[[A:.*]] = icmp slt i32 %up1, %left1
; CHECK: %[[B:.*]] = select i1 %[[A]], i32 %up1, i32 %left1, !unpredictable
; CHECK: %[[C:.*]] = icmp slt i32 %[[B]], %diagonal
; CHECK: select i1 %[[C]], i32 %[[B]], i32 %diagonal, !unpredictable
entry:
  br label %loop
loop:
  %j = phi i64 [ 0, %entry ], [ %next, %loop ]
  %left = phi i32 [ 0, %entry ], [ %least, %loop ]
  %diagonal = phi i32 [ 0, %entry ], [ %up, %loop ]
  %at = getelementptr inbounds i32, ptr %row, i64 %j
  %up = load i32, ptr %at
  %up1 = add i32 %up, 1
  %left1 = add i32 %left, 1
  %two = call i32 @llvm.smin.i32(i32 %up1, i32 %left1)
  %least = call i32 @llvm.smin.i32(i32 %two, i32 %diagonal)
  store i32 %least, ptr %at
  %next = add nuw i64 %j, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %done
done:
  ret void
}
define i64 @greatest(ptr %x, i64 %n) {
; CHECK-LABEL: define i64 @greatest(
; CHECK: call i64 @llvm.umax.i64
; CHECK: call i64 @llvm.umax.i64
; CHECK-NOT: unpredictable
; CHECK: call i64 @llvm.smin.i64
entry:
  br label %loop
loop:
  %j = phi i64 [ 0, %entry ], [ %next, %loop ]
  %most = phi i64 [ 0, %entry ], [ %both, %loop ]
  %at = getelementptr inbounds i64, ptr %x, i64 %j
  %v = load i64, ptr %at
  %w = xor i64 %v, 7
  %one = call i64 @llvm.umax.i64(i64 %most, i64 %v)
  %both = call i64 @llvm.umax.i64(i64 %one, i64 %w)
  %next = add nuw i64 %j, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %done
done:
  %least = call i64 @llvm.smin.i64(i64 %both, i64 %n)
  ret i64 %least
}
; Other types and signs, in a longest common subsequence; vectors stay.
define void @common(ptr %row, i64 %n, i1 %same, <4 x i16> %v) {
; CHECK-LABEL: define void @common(
; CHECK: icmp ugt i16
; CHECK: select i1 %{{.*}}, !unpredictable
; CHECK: call <4 x i16> @llvm.umax.v4i16
; CHECK: ret void
entry:
  br label %loop
loop:
  %j = phi i64 [ 0, %entry ], [ %next, %loop ]
  %left = phi i16 [ 0, %entry ], [ %longest, %loop ]
  %vector = phi <4 x i16> [ %v, %entry ], [ %larger, %loop ]
  %at = getelementptr inbounds i16, ptr %row, i64 %j
  %up = load i16, ptr %at
  %other = call i16 @llvm.umax.i16(i16 %up, i16 %left)
  %one = add i16 %up, 1
  %longest = select i1 %same, i16 %one, i16 %other
  %sum = add <4 x i16> %vector, %v
  %larger = call <4 x i16> @llvm.umax.v4i16(<4 x i16> %sum, <4 x i16> %v)
  store i16 %longest, ptr %at
  %next = add nuw i64 %j, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %done
done:
  store <4 x i16> %larger, ptr %row
  ret void
}
declare i32 @llvm.smin.i32(i32, i32)
declare i64 @llvm.umax.i64(i64, i64)
declare i64 @llvm.smin.i64(i64, i64)
declare i16 @llvm.umax.i16(i16, i16)
declare <4 x i16> @llvm.umax.v4i16(<4 x i16>, <4 x i16>)
