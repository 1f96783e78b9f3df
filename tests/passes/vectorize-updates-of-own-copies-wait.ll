; Updates of elements that nothing else reaches while the kernel runs are gathered in vectors, and made when the nest ends.
; RUN-PASS: vectorize --march=x86-64-v3
; CHECK-LABEL: define void @f(
; CHECK: %total = alloca <8 x i32>
; CHECK: totals:
; CHECK: [[MOST:%.*]] = call i32 @llvm.vector.reduce.smax.v8i32(
; CHECK: [[AT:%.*]] = select i1 {{%.*}}, ptr %nowhere, ptr %s
; CHECK: call i32 @kdsl.update.max.i32.alone(ptr [[AT]], i32 [[MOST]])
; CHECK-NOT: call i32 @kdsl.update
; CHECK: vectors:
; CHECK-NOT: call i32 @kdsl.update
; CHECK: {{^}}}
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
  %a = call i32 @kdsl.update.max.i32.alone(ptr %s, i32 %v)
  br label %latch
latch:
  %next = add nsw i64 %i, 1
  br label %head, !kdsl.items !0
done:
  ret void
}
declare i32 @kdsl.update.max.i32.alone(ptr, i32)
!0 = !{}
