; There are no gathers of bytes: lanes are loaded one by one, and those that are no items read a place that is always there.
; Under a mask LLVM would make a branch for each lane.
; RUN-PASS: vectorize --march=x86-64-v4 --vector=always
; CHECK: [[AT:%.*]] = getelementptr i8, ptr %x, <[[N:.*]] x i64>
; CHECK: select <[[N]] x i1> {{%.*}}, <[[N]] x ptr> [[AT]], <[[N]] x ptr>
; CHECK-COUNT-8: load i8, ptr
; CHECK-NOT: gather
define void @f(ptr noalias %x, ptr noalias %at, ptr noalias %y, i64 %n) {
entry:
  br label %head
head:
  %i = phi i64 [ 0, %entry ], [ %next, %latch ]
  %more = icmp slt i64 %i, %n
  br i1 %more, label %body, label %done
body:
  %p = getelementptr i64, ptr %at, i64 %i
  %k = load i64, ptr %p, align 8
  %q = getelementptr i8, ptr %x, i64 %k
  %v = load i8, ptr %q, align 1
  %s = mul i8 %v, %v
  %t = add i8 %s, %v
  %r = getelementptr i8, ptr %y, i64 %i
  store i8 %t, ptr %r, align 1
  br label %latch
latch:
  %next = add nsw i64 %i, 1
  br label %head, !kdsl.items !0
done:
  ret void
}
!0 = !{}
