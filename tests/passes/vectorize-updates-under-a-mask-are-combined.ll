; Several updates of single elements under a condition: lanes that are not live bring what changes nothing, and where none
; is live the elements are not touched.
; RUN-PASS: vectorize --march=x86-64-v4
; CHECK-LABEL: define void @f(
; CHECK: br i1 %{{.*}}, label %[[LIVE:.*]], label
; CHECK: [[LIVE]]:
; CHECK: select <16 x i1> %{{.*}}, <16 x i32> %{{.*}}, <16 x i32> splat (i32 -1)
; CHECK: call i32 @llvm.vector.reduce.umin.v16i32(
; CHECK: call i32 @kdsl.update.min.u32(ptr %at, i32
; CHECK: select <16 x i1> %{{.*}}, <16 x float> %{{.*}}, <16 x float> splat (float -0.000000e+00)
; CHECK: fadd <16 x float>
; CHECK: call float @kdsl.update.add.f32(ptr %bt, float
define void @f(ptr noalias %s, ptr noalias %t, ptr noalias %x, i64 %n, i64 %k) {
entry:
  %at = getelementptr i32, ptr %s, i64 %k
  %bt = getelementptr float, ptr %t, i64 %k
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
  %a = call i32 @kdsl.update.min.u32(ptr %at, i32 %v)
  %f = sitofp i32 %v to float
  %b = call float @kdsl.update.add.f32(ptr %bt, float %f)
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
