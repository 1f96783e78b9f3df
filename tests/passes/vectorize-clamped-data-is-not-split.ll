; A minimum that no address depends on is computed by lanes: nothing to split.
; RUN-PASS: vectorize --march=x86-64-v3
; CHECK-NOT: inside:
; CHECK: call <8 x i64> @llvm.smin.v8i64(
; CHECK-NOT: edge:
define void @f(ptr noalias %a, ptr noalias %c, i64 %n, i64 %m) {
entry:
  br label %head
head:
  %i = phi i64 [ 0, %entry ], [ %next, %latch ]
  %more = icmp slt i64 %i, %n
  br i1 %more, label %item, label %done
item:
  %j = call i64 @llvm.smin.i64(i64 %i, i64 %m)
  %v = sitofp i64 %j to float
  %r = getelementptr float, ptr %c, i64 %i
  store float %v, ptr %r, align 4
  br label %latch
latch:
  %next = add nsw i64 %i, 1
  br label %head, !kdsl.items !0
done:
  ret void
}
declare i64 @llvm.smin.i64(i64, i64)
!0 = !{}
