; Several updates of single elements, of which the old values are wanted, under a condition: the lanes are scanned, and one
; update is made for all vectors of a block.
; RUN-PASS: vectorize --march=x86-64-v4
; CHECK-LABEL: define void @f(
; CHECK: br i1 %{{.*}}, label %[[LIVE:.*]], label
; CHECK: [[LIVE]]:
; CHECK: %[[V:.*]] = select <16 x i1> %{{.*}}, <16 x i32> %{{.*}}, <16 x i32> zeroinitializer
; CHECK: shufflevector <16 x i32> zeroinitializer, <16 x i32> %[[V]], <16 x i32> <i32 0, i32 16, i32 17,
; CHECK: add <16 x i32>
; CHECK: %[[OLD:.*]] = call i32 @kdsl.update.sub.i32(ptr %at, i32
; CHECK-NOT: call i32 @kdsl.update.sub.i32
; CHECK: sub <16 x i32> %{{.*}}, %{{.*}}
; CHECK: call {{.*}}<16 x i32> @llvm.smax.v16i32(
; CHECK: call i32 @kdsl.update.max.i32(ptr %bt, i32
; CHECK: call {{.*}}<16 x i32> @llvm.smax.v16i32(
define void @f(ptr noalias %s, ptr noalias %t, ptr noalias %x, ptr noalias %y, i64 %n, i64 %k) {
entry:
  %at = getelementptr i32, ptr %s, i64 %k
  %bt = getelementptr i32, ptr %t, i64 %k
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
  %a = call i32 @kdsl.update.sub.i32(ptr %at, i32 %v)
  %b = call i32 @kdsl.update.max.i32(ptr %bt, i32 %v)
  %q = getelementptr i32, ptr %y, i64 %i
  %d = add i32 %a, %b
  store i32 %d, ptr %q, align 4
  br label %latch
latch:
  %next = add nsw i64 %i, 1
  br label %head, !kdsl.items !0
done:
  ret void
}
declare i32 @kdsl.update.sub.i32(ptr, i32)
declare i32 @kdsl.update.max.i32(ptr, i32)
!0 = !{}
