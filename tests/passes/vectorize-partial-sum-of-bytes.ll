; Bytes are added up in groups of eight: a block has as many lanes as a vector has bytes.
; RUN-PASS: vectorize --march=x86-64-v3
; CHECK: %total = alloca <8 x i32>
; CHECK: load <32 x i8>
; CHECK: call <4 x i64> @llvm.x86.avx2.psad.bw(
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
  %t = zext i8 %vx to i32
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
