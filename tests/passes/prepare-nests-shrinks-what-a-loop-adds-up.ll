; A sum that a loop carries is one of 16 bits, if no more are stored.
; RUN-PASS: prepare-nests --march=x86-64-v3
; CHECK: phi i16
; CHECK-NOT: phi i32
; CHECK: add i16
define void @f(ptr noalias %x, ptr noalias %y, ptr noalias %o, i64 %n) {
entry:
  br label %head
head:
  %i = phi i64 [ 0, %entry ], [ %next, %latch ]
  %more = icmp slt i64 %i, %n
  br i1 %more, label %body, label %done
body:
  %px = getelementptr i16, ptr %x, i64 %i
  %py = getelementptr i16, ptr %y, i64 %i
  %po = getelementptr i16, ptr %o, i64 %i
  %bx = load i16, ptr %px, align 1
  %by = load i16, ptr %py, align 1
  %vx = zext i16 %bx to i32
  %vy = zext i16 %by to i32
  br label %loop
loop:
  %k = phi i64 [ 0, %body ], [ %k1, %loop ]
  %s = phi i32 [ 0, %body ], [ %s1, %loop ]
  %pk = getelementptr i16, ptr %px, i64 %k
  %e = load i16, ptr %pk, align 2
  %w = zext i16 %e to i32
  %s1 = add i32 %s, %w
  %k1 = add nsw i64 %k, 1
  %again = icmp slt i64 %k1, %n
  br i1 %again, label %loop, label %end
end:
  %r = trunc i32 %s1 to i16
  store i16 %r, ptr %po, align 2
  br label %latch
latch:
  %next = add nsw i64 %i, 1
  br label %head, !kdsl.items !0
done:
  ret void
}
!0 = !{}
