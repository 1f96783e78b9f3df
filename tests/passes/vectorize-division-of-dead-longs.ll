; Of 64 bits, lanes that are live are tested whether they are small; large dividends are divided in two steps, and by
; large divisors as integers, which trap.
; RUN-PASS: vectorize --march=x86-64-v4
; CHECK: vectors:
; CHECK: [[V:%.*]] = load <8 x i64>
; CHECK: live:
; CHECK: [[BY:%.*]] = select <8 x i1> {{%.*}}, <8 x i64> [[V]], <8 x i64> splat (i64 1)
; CHECK: [[BOTH:%.*]] = or <8 x i64> splat (i64 1000), [[BY]]
; CHECK: call i64 @llvm.vector.reduce.or.v8i64(<8 x i64> [[BOTH]])
; CHECK: usual:
; CHECK: or <8 x i64> [[V]], splat (i64 4841369599423283200)
; CHECK: fdiv <8 x double>
; CHECK: rare:
; CHECK: call i64 @llvm.vector.reduce.or.v8i64(<8 x i64> [[BY]])
; CHECK: usual
; CHECK: fdiv <8 x double>
; CHECK: fptoui <8 x double> {{%.*}} to <8 x i64>
; CHECK: fdiv <8 x double>
; CHECK: rare
; CHECK: store <8 x i64> [[BY]], ptr [[LANES:%.*]], align 64
; CHECK: lane:
; CHECK: getelementptr i64, ptr [[LANES]]
; CHECK: udiv i64
define void @f(ptr noalias %x, ptr noalias %y, i64 %n) {
entry:
  br label %head
head:
  %i = phi i64 [ 0, %entry ], [ %next, %latch ]
  %more = icmp slt i64 %i, %n
  br i1 %more, label %body, label %done
body:
  %p = getelementptr i64, ptr %x, i64 %i
  %v = load i64, ptr %p, align 8
  %c = icmp ne i64 %v, 0
  br i1 %c, label %then, label %latch
then:
  %d = udiv i64 1000, %v
  %q = getelementptr i64, ptr %y, i64 %i
  store i64 %d, ptr %q, align 8
  br label %latch
latch:
  %next = add nsw i64 %i, 1
  br label %head, !kdsl.items !0
done:
  ret void
}
!0 = !{}
