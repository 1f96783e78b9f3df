; Of live lanes: elements of the others are neither read nor written.
; RUN-PASS: vectorize --march=x86-64-v4
; CHECK-LABEL: define void @f(
; CHECK: [[OLD:%.*]] = call <8 x double> @llvm.masked.load.v8f64.p0(ptr align 8 [[AT:%.*]], <8 x i1> [[MASK:%.*]], <8 x double>
; CHECK-NEXT: [[NEW:%.*]] = call <8 x double> @llvm.maximumnum.v8f64(<8 x double> [[OLD]],
; CHECK-NEXT: call void @llvm.masked.store.v8f64.p0(<8 x double> [[NEW]], ptr align 8 [[AT]], <8 x i1> [[MASK]])
define void @f(ptr noalias %s, ptr noalias %x, i64 %n) {
entry:
  br label %head
head:
  %i = phi i64 [ 0, %entry ], [ %next, %latch ]
  %more = icmp slt i64 %i, %n
  br i1 %more, label %body, label %done
body:
  %p = getelementptr i32, ptr %x, i64 %i
  %v = load i32, ptr %p, align 4
  %c = icmp sgt i32 %v, 0
  br i1 %c, label %then, label %latch
then:
  %q = getelementptr double, ptr %s, i64 %i
  %w = sitofp i32 %v to double
  %a = call double @kdsl.update.max.f64.alone(ptr %q, double %w)
  br label %latch
latch:
  %next = add nsw i64 %i, 1
  br label %head, !kdsl.items !0
done:
  ret void
}
declare double @kdsl.update.max.f64.alone(ptr, double)
!0 = !{}
