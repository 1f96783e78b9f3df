; The sum of two bytes fits 16 bits, and so does all that becomes of it.
; RUN-PASS: prepare-nests --march=x86-64-v3
; CHECK: add nuw nsw i16
; CHECK: lshr i16
; CHECK: trunc
; CHECK-NOT: i32 %
define void @f(ptr noalias %x, ptr noalias %y, ptr noalias %o, i64 %n) {
entry:
  br label %head
head:
  %i = phi i64 [ 0, %entry ], [ %next, %latch ]
  %more = icmp slt i64 %i, %n
  br i1 %more, label %body, label %done
body:
  %px = getelementptr i8, ptr %x, i64 %i
  %py = getelementptr i8, ptr %y, i64 %i
  %bx = load i8, ptr %px, align 1
  %by = load i8, ptr %py, align 1
  %vx = zext i8 %bx to i32
  %vy = zext i8 %by to i32
  %s = add nsw i32 %vx, %vy
  %t = add nsw i32 %s, 1
  %h = lshr i32 %t, 1
  %r = trunc i32 %h to i8
  %po = getelementptr i8, ptr %o, i64 %i
  store i8 %r, ptr %po, align 1
  br label %latch
latch:
  %next = add nsw i64 %i, 1
  br label %head, !kdsl.items !0
done:
  ret void
}
!0 = !{}
