; An f64 becomes an i64 between its least and its greatest value, and a NaN becomes 0: in vectors on AVX-512, before it lane by
; lane, but without a branch.
; RUN-PASS: vectorize --march=x86-64-v4 --vector=always
; RUN-PASS: vectorize --march=x86-64-v3 --vector=always
; CHECK: vectors:
; CHECK: [[V:%.*]] = load <[[N:[48]]] x double>
; CHECK: fcmp ogt <[[N]] x double> [[V]], splat (double 0xC3E0000000000000)
; CHECK: fcmp olt <[[N]] x double> {{%.*}}, splat (double 0x43DFFFFFFFFFFFFF)
; CHECK: fptosi <[[N]] x double> {{%.*}} to <[[N]] x i64>
; CHECK: fcmp oge <[[N]] x double> [[V]], splat (double 0x43E0000000000000)
; CHECK: select <[[N]] x i1> {{%.*}}, <[[N]] x i64> splat (i64 9223372036854775807), <[[N]] x i64>
; CHECK: [[NUMBER:%.*]] = fcmp ord <[[N]] x double> [[V]], [[V]]
; CHECK: select <[[N]] x i1> [[NUMBER]], <[[N]] x i64> {{%.*}}, <[[N]] x i64> zeroinitializer
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
