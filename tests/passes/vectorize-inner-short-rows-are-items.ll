; A loop that is known to be short is not worth vectors of its own.
; RUN-PASS: vectorize --march=x86-64-v3
; CHECK: add <8 x i32>
define void @f(ptr noalias %x, ptr noalias %y, i64 %n, i64 %m) {
entry:
  br label %head
head:
  %i = phi i64 [ 0, %entry ], [ %next, %latch ]
  %more = icmp slt i64 %i, %n
  br i1 %more, label %body, label %done
body:
  %row = mul nsw i64 %i, 16
  %p = getelementptr i32, ptr %x, i64 %row
  br label %loop
loop:
  %k = phi i64 [ 0, %body ], [ %k1, %inside ]
  %s = phi i32 [ 0, %body ], [ %s1, %inside ]
  %go = icmp slt i64 %k, 16
  br i1 %go, label %inside, label %out
inside:
  %r = getelementptr i32, ptr %p, i64 %k
  %v = load i32, ptr %r, align 4
  %s1 = add i32 %s, %v
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
