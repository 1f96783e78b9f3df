; An f64 becomes an i64 between its least and its greatest value, and a NaN becomes 0: in vectors on AVX-512.
; RUN-PASS: vectorize --march=x86-64-v4 --vector=always
; CHECK: vectors:
; CHECK: [[V:%.*]] = load <8 x double>
; CHECK: fcmp ogt <8 x double> [[V]], splat (double 0xC3E0000000000000)
; CHECK: fcmp olt <8 x double> {{%.*}}, splat (double 0x43DFFFFFFFFFFFFF)
; CHECK: fptosi <8 x double> {{%.*}} to <8 x i64>
; CHECK: fcmp oge <8 x double> [[V]], splat (double 0x43E0000000000000)
; CHECK: select <8 x i1> {{%.*}}, <8 x i64> splat (i64 9223372036854775807), <8 x i64>
; CHECK: [[NUMBER:%.*]] = fcmp ord <8 x double> [[V]], [[V]]
; CHECK: select <8 x i1> [[NUMBER]], <8 x i64> {{%.*}}, <8 x i64> zeroinitializer
define void @f(ptr noalias %x, ptr noalias %y, i64 %n) {
entry:
  br label %head
head:
  %i = phi i64 [ 0, %entry ], [ %next, %latch ]
  %more = icmp slt i64 %i, %n
  br i1 %more, label %body, label %done
body:
  %p = getelementptr double, ptr %x, i64 %i
  %v = load double, ptr %p, align 8
  %d = call i64 @llvm.fptosi.sat.i64.f64(double %v)
  %q = getelementptr i64, ptr %y, i64 %i
  store i64 %d, ptr %q, align 8
  br label %latch
latch:
  %next = add nsw i64 %i, 1
  br label %head, !kdsl.items !0
done:
  ret void
}
declare i64 @llvm.fptosi.sat.i64.f64(double)
!0 = !{}
