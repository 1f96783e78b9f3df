; Items that part ways at an if run its body under a mask, and skip it where no item comes.
; RUN-PASS: vectorize --march=x86-64-v4
; CHECK: vectors:
; CHECK: [[C:%.*]] = fcmp ogt <16 x float>
; CHECK: call i1 @llvm.vector.reduce.or.v16i1(
; CHECK-NEXT: br i1
; CHECK: call void @llvm.masked.store.v16f32.p0(
define void @f(ptr noalias %x, ptr noalias %y, i64 %n) {
entry:
  br label %head
head:
  %i = phi i64 [ 0, %entry ], [ %next, %latch ]
  %more = icmp slt i64 %i, %n
  br i1 %more, label %body, label %done
body:
  %p = getelementptr float, ptr %x, i64 %i
  %v = load float, ptr %p, align 4
  %q = getelementptr float, ptr %y, i64 %i
  %old = load float, ptr %q, align 4
  %c = fcmp ogt float %v, %old
  br i1 %c, label %then, label %latch
then:
  store float %v, ptr %q, align 4
  br label %latch
latch:
  %next = add nsw i64 %i, 1
  br label %head, !kdsl.items !0
done:
  ret void
}
!0 = !{}
