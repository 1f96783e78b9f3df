; Two products of 16 bits may not fit in 32, and the sum has 64.
; RUN-PASS: vectorize --march=x86-64-v3
; CHECK-NOT: pmadd
; CHECK: mul <8 x i64>
; CHECK-NOT: pmadd
define void @f(ptr noalias %s, ptr noalias %x, ptr noalias %y, i64 %n) {
entry:
  br label %head
head:
  %i = phi i64 [ 0, %entry ], [ %next, %latch ]
  %more = icmp slt i64 %i, %n
  br i1 %more, label %body, label %done
body:
  %px = getelementptr i16, ptr %x, i64 %i
  %vx = load i16, ptr %px, align 2
  %py = getelementptr i16, ptr %y, i64 %i
  %vy = load i16, ptr %py, align 2
  %wx = sext i16 %vx to i64
  %wy = sext i16 %vy to i64
  %t = mul i64 %wx, %wy
  %u = call i64 @kdsl.update.add.i64.alone(ptr %s, i64 %t)
  br label %latch
latch:
  %next = add nsw i64 %i, 1
  br label %head, !kdsl.items !0
done:
  ret void
}
declare i64 @kdsl.update.add.i64.alone(ptr, i64)
!0 = !{}
