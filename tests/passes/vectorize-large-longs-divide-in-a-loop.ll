; Lanes of 64 bits divide as floats where all numbers are small; else one by one, in a loop that stays one.
; RUN-PASS: vectorize --march=x86-64-v3
; CHECK: vectors:
; CHECK: [[LARGE:%.*]] = icmp ne i64 {{%.*}}, 0
; CHECK: br i1 [[LARGE]], label %[[ONE_BY_ONE:.*]], label %[[SMALL:.*]], !prof
; CHECK: [[SMALL]]:
; CHECK: fdiv <4 x double>
; CHECK-NOT: {{[us]}}div <4 x i64>
; CHECK: sdiv i64
; CHECK: br i1 {{%.*}}, label %{{.*}}, label %{{.*}}, !llvm.loop
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
  %w = or i64 %v, 1
  %d = sdiv i64 1000, %w
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
