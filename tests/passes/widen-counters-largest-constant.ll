; Up to the largest number that the type has, the last step would wrap: it stays as it is.
; RUN-PASS: widen-counters --march=x86-64-v3
; CHECK: phi i8 [ 0, %item ], [ %k1, %body ]
define void @f(ptr noalias %y, ptr noalias %x, i64 %n) {
entry:
  br label %head
head:
  %i = phi i64 [ 0, %entry ], [ %next, %latch ]
  %more = icmp slt i64 %i, %n
  br i1 %more, label %item, label %done
item:
  %at = shl nsw i64 %i, 5
  %row = getelementptr i8, ptr %x, i64 %at
  br label %loop
loop:
  %k = phi i8 [ 0, %item ], [ %k1, %body ]
  %s = phi i8 [ 0, %item ], [ %t, %body ]
  %again = icmp ult i8 %k, 127
  br i1 %again, label %body, label %after
body:
  %wide = zext nneg i8 %k to i64
  %p = getelementptr i8, ptr %row, i64 %wide
  %v = load i8, ptr %p, align 1
  %t = add i8 %s, %v
  %k1 = add nuw i8 %k, 1
  br label %loop
after:
  %q = getelementptr i8, ptr %y, i64 %i
  store i8 %s, ptr %q, align 1
  br label %latch
latch:
  %next = add nsw i64 %i, 1
  br label %head, !kdsl.items !0
done:
  ret void
}
!0 = !{}
