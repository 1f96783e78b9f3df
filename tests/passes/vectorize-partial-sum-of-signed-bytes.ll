; The instruction takes bytes without a sign: 128 more of each, which is 1024 of eight, into 64 bits.
; RUN-PASS: vectorize --march=x86-64-v4
; CHECK: xor <64 x i8>
; CHECK: call <8 x i64> @llvm.x86.avx512.psad.bw.512(
; CHECK: sub <8 x i64> {{.*}}1024
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
  %t = sext i8 %vx to i64
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
