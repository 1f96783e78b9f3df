; Products of 16 bits are added up in pairs.
; RUN-PASS: vectorize --march=x86-64-v3
; CHECK: load <16 x i16>
; CHECK: call <8 x i32> @llvm.x86.avx2.pmadd.wd(
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
  %wx = sext i16 %vx to i32
  %wy = sext i16 %vy to i32
  %t = mul i32 %wx, %wy
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
