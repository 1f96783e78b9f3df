; The absolute difference of two bytes, on a machine with vectors of 128 bits.
; RUN-PASS: vectorize --march=x86-64-v2
; CHECK: load <16 x i8>
; CHECK: load <16 x i8>
; CHECK: call <2 x i64> @llvm.x86.sse2.psad.bw(
define void @f(ptr noalias %s, ptr noalias %x, ptr noalias %y, i64 %n) {
entry:
  br label %head
head:
  %i = phi i64 [ 0, %entry ], [ %next, %latch ]
  %more = icmp slt i64 %i, %n
  br i1 %more, label %body, label %done
body:
  %px = getelementptr i8, ptr %x, i64 %i
  %vx = load i8, ptr %px, align 1
  %py = getelementptr i8, ptr %y, i64 %i
  %vy = load i8, ptr %py, align 1
  %wx = zext i8 %vx to i32
  %wy = zext i8 %vy to i32
  %d = sub nsw i32 %wx, %wy
  %t = call i32 @llvm.abs.i32(i32 %d, i1 true)
  %u = call i32 @kdsl.update.add.i32.alone(ptr %s, i32 %t)
  br label %latch
latch:
  %next = add nsw i64 %i, 1
  br label %head, !kdsl.items !0
done:
  ret void
}
declare i32 @kdsl.update.add.i32.alone(ptr, i32)
!0 = !{}
