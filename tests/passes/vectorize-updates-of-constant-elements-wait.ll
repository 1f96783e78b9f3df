; Updates of constant elements wait until the nest ends, also under a condition: where no item has come to one, it is not
; touched, as it may not be there.
; RUN-PASS: vectorize --march=x86-64-v4
; CHECK-LABEL: define void @f(
; CHECK: totals:
; CHECK: [[LEAST:%.*]] = call i32 @llvm.vector.reduce.umin.v16i32(
; CHECK: [[NONE:%.*]] = icmp eq i32 [[LEAST]], -1
; CHECK: [[AT:%.*]] = select i1 [[NONE]], ptr %nowhere, ptr %s
; CHECK: call i32 @kdsl.update.min.u32(ptr [[AT]], i32 [[LEAST]])
; CHECK: call float @kdsl.update.add.f32(ptr
; CHECK: vectors:
; CHECK-NOT: call i32 @kdsl.update
; CHECK-NOT: call float @kdsl.update
; CHECK: {{^}}}
define void @f(ptr noalias %s, ptr noalias %t, ptr noalias %x, i64 %n) {
entry:
  br label %head
head:
  %i = phi i64 [ 0, %entry ], [ %next, %latch ]
  %more = icmp slt i64 %i, %n
  br i1 %more, label %body, label %done
body:
  %p = getelementptr i32, ptr %x, i64 %i
  %v = load i32, ptr %p, align 4
  %c = icmp sgt i32 %v, 3
  br i1 %c, label %some, label %latch
some:
  %a = call i32 @kdsl.update.min.u32(ptr %s, i32 %v)
  %f = sitofp i32 %v to float
  %b = call float @kdsl.update.add.f32(ptr %t, float %f)
  br label %latch
latch:
  %next = add nsw i64 %i, 1
  br label %head, !kdsl.items !0
done:
  ret void
}
declare i32 @kdsl.update.min.u32(ptr, i32)
declare float @kdsl.update.add.f32(ptr, float)
!0 = !{}
