; 300 times a byte needs 17 bits.
; RUN-PASS: prepare-nests --march=x86-64-v3
; CHECK: mul {{.*}} i32
; CHECK-NOT: i16
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
  %a = mul nsw i32 %vx, 300
  %s = add nsw i32 %a, %vy
  %h = lshr i32 %s, 9
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
