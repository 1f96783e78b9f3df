; An update of an element, which is made lane by lane, under a mask: the block is written for vectors of which no lane is
; missing, without a test of each lane, and for those in which some are (branch on superword condition codes). On a machine
; with mask registers, too.
; RUN-PASS: vectorize --march=x86-64-v3 --vector=always
; RUN-PASS: vectorize --march=x86-64-v4 --vector=always
; CHECK: [[ANY:%.*]] = call i1 @llvm.vector.reduce.or
; CHECK: br i1 [[ANY]], label %[[LIVE:.*]], label
; CHECK: [[LIVE]]:
; CHECK: [[ALL:%.*]] = call i1 @llvm.vector.reduce.and
; CHECK: br i1 [[ALL]], label %[[WHOLE:.*]], label %[[SOME:.*]]
; CHECK: [[WHOLE]]:
; CHECK-COUNT-8: call i32 @kdsl.update.add.i32(
; CHECK: br label
; CHECK: [[SOME]]:
define void @f(ptr noalias %a, ptr noalias %counts, i64 %n) {
entry:
  br label %head
head:
  %i = phi i64 [ 0, %entry ], [ %next, %latch ]
  %more = icmp slt i64 %i, %n
  br i1 %more, label %body, label %done
body:
  %p = getelementptr inbounds i32, ptr %a, i64 %i
  %v = load i32, ptr %p, align 4
  %c = icmp ult i32 %v, 100
  br i1 %c, label %then, label %latch
then:
  %at = sext i32 %v to i64
  %q = getelementptr inbounds i32, ptr %counts, i64 %at
  %old = call i32 @kdsl.update.add.i32(ptr %q, i32 1)
  br label %latch
latch:
  %next = add nuw nsw i64 %i, 1
  br label %head, !kdsl.items !0
done:
  ret void
}
declare i32 @kdsl.update.add.i32(ptr, i32)
!0 = !{}
