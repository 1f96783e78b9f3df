; Memory of the item's own, counted in 32 bits: the first element lies inside, so it may be read before the checks.
; RUN-PASS: carry-elements --march=x86-64-v3
; CHECK: icmp sgt i32 %m, 1
; CHECK: loop:
; CHECK: phi i32 [ {{.*}}, %carried ], [ %new, %body ]
; CHECK: body:
; CHECK-NOT: load i32, ptr %q
; CHECK: store i32 %new, ptr %p
define void @f(ptr noalias %y, i64 %n, i32 %m) {
entry:
  %row = alloca [33 x i32], align 16
  br label %head
head:
  %i = phi i64 [ 0, %entry ], [ %next, %latch ]
  %more = icmp slt i64 %i, %n
  br i1 %more, label %item, label %done
item:
  store i32 0, ptr %row, align 4
  br label %loop
loop:
  %j = phi i32 [ 1, %item ], [ %j1, %body ]
  %wide = zext nneg i32 %j to i64
  %again = icmp slt i32 %j, %m
  br i1 %again, label %body, label %after
body:
  %p = getelementptr i32, ptr %row, i64 %wide
  %before = sub nsw i64 %wide, 1
  %q = getelementptr i32, ptr %row, i64 %before
  %old = load i32, ptr %q, align 4
  %new = add i32 %old, %j
  store i32 %new, ptr %p, align 4
  %j1 = add nuw nsw i32 %j, 1
  br label %loop
after:
  %sum = load i32, ptr %row, align 4
  %r = getelementptr i32, ptr %y, i64 %i
  store i32 %sum, ptr %r, align 4
  br label %latch
latch:
  %next = add nsw i64 %i, 1
  br label %head, !kdsl.items !0
done:
  ret void
}
!0 = !{}
