; Each of two loops has a number that the iteration before computes: the tree is in the order of the inner one, around it.
; RUN-PASS: shorten-chains --march=x86-64-v3
; CHECK: [[OTHERS:%.*]] = call i32 @llvm.smin.i32(i32 %above, i32 %last)
; CHECK: call i32 @llvm.smin.i32(i32 [[OTHERS]], i32 %left)
define void @f(ptr noalias %x, ptr noalias %y, i64 %n, i64 %m) {
entry:
  br label %head
head:
  %i = phi i64 [ 0, %entry ], [ %next, %latch ]
  %more = icmp slt i64 %i, %n
  br i1 %more, label %item, label %done
item:
  br label %rows
rows:
  %r = phi i64 [ 0, %item ], [ %r1, %row.done ]
  %last = phi i32 [ 9, %item ], [ %was.xor, %row.done ]
  %rows.go = icmp slt i64 %r, %m
  br i1 %rows.go, label %row, label %after
row:
  br label %loop
loop:
  %j = phi i64 [ 1, %row ], [ %j1, %body ]
  %was = phi i32 [ 0, %row ], [ %best, %body ]
  %again = icmp slt i64 %j, %m
  br i1 %again, label %body, label %row.done
body:
  %p = getelementptr i32, ptr %x, i64 %j
  %above = load i32, ptr %p, align 4
  %left = mul i32 %was, 3
  %both = call i32 @llvm.smin.i32(i32 %above, i32 %left)
  %best = call i32 @llvm.smin.i32(i32 %both, i32 %last)
  %j1 = add nsw i64 %j, 1
  br label %loop
row.done:
  %was.xor = xor i32 %was, %last
  %r1 = add nsw i64 %r, 1
  br label %rows
after:
  %q = getelementptr i32, ptr %y, i64 %i
  store i32 %last, ptr %q, align 4
  br label %latch
latch:
  %next = add nsw i64 %i, 1
  br label %head, !kdsl.items !0
done:
  ret void
}
declare i32 @llvm.smin.i32(i32, i32)
!0 = !{}
