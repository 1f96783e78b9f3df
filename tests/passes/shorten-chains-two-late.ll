; Two of three numbers come from the iteration before: nothing is gained by another order.
; RUN-PASS: shorten-chains --march=x86-64-v3
; CHECK: %both = call i32 @llvm.umax.i32(i32 %above, i32 %left)
; CHECK: %best = call i32 @llvm.umax.i32(i32 %both, i32 %change)
; CHECK: store i32 %best
define void @f(ptr noalias %x, ptr noalias %y, i64 %n, i64 %m) {
entry:
  br label %head
head:
  %i = phi i64 [ 0, %entry ], [ %next, %latch ]
  %more = icmp slt i64 %i, %n
  br i1 %more, label %item, label %done
item:
  %at = mul nsw i64 %i, %m
  %row = getelementptr i32, ptr %y, i64 %at
  %in = getelementptr i32, ptr %x, i64 %at
  br label %loop
loop:
  %j = phi i64 [ 1, %item ], [ %j1, %body ]
  %was = phi i32 [ 0, %item ], [ %best, %body ]
  %again = icmp slt i64 %j, %m
  br i1 %again, label %body, label %after
body:
  %p = getelementptr i32, ptr %in, i64 %j
  %above = load i32, ptr %p, align 4
  %left = add i32 %was, 1
  %change = add i32 %was, 7
  %both = call i32 @llvm.umax.i32(i32 %above, i32 %left)
  %best = call i32 @llvm.umax.i32(i32 %both, i32 %change)
  %q = getelementptr i32, ptr %row, i64 %j
  store i32 %best, ptr %q, align 4
  %j1 = add nsw i64 %j, 1
  br label %loop
after:
  br label %latch
latch:
  %next = add nsw i64 %i, 1
  br label %head, !kdsl.items !0
done:
  ret void
}
declare i32 @llvm.umax.i32(i32, i32)
!0 = !{}
