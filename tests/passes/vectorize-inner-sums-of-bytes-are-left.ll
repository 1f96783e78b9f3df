; Each item sums a row of integers: its loop is left to the loop vectoriser, which needs no transposes.
; RUN-PASS: vectorize --march=x86-64-v3
; CHECK-LABEL: define void @f(
; CHECK-NOT: <{{[0-9]+}} x
; CHECK: br label %head, !kdsl.items
; CHECK-NOT: <{{[0-9]+}} x
define void @f(ptr noalias %x, ptr noalias %y, i64 %n, i64 %m) {
entry:
  br label %head
head:
  %i = phi i64 [ 0, %entry ], [ %next, %latch ]
  %more = icmp slt i64 %i, %n
  br i1 %more, label %body, label %done
body:
  %row = mul nsw i64 %i, %m
  %p = getelementptr i8, ptr %x, i64 %row
  br label %loop
loop:
  %k = phi i64 [ 0, %body ], [ %k1, %inside ]
  %s = phi i32 [ 0, %body ], [ %s1, %inside ]
  %go = icmp slt i64 %k, %m
  br i1 %go, label %inside, label %out
inside:
  %r = getelementptr i8, ptr %p, i64 %k
  %v = load i8, ptr %r, align 1
  %w = zext i8 %v to i32
  %s1 = add i32 %s, %w
  %k1 = add nsw i64 %k, 1
  br label %loop
out:
  %q = getelementptr i32, ptr %y, i64 %i
  store i32 %s, ptr %q, align 4
  br label %latch
latch:
  %next = add nsw i64 %i, 1
  br label %head, !kdsl.items !0
done:
  ret void
}
!0 = !{}
