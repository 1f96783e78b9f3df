; An unsigned index of 32 bits and a bound of the launch, which is halved: both without a sign.
; RUN-PASS: narrow-loops --march=x86-64-v3
; CHECK: [[B:%.*]] = udiv i32 %n, 3
; CHECK: [[F:%.*]] = freeze i32 [[B]]
; CHECK: zext i32 [[F]] to i128
; CHECK: item:
; CHECK-NOT: icmp
; CHECK: store
define void @f(ptr noalias %c, ptr noalias %a, i64 %lo, i64 %hi, i32 %n) {
entry:
  br label %head
head:
  %i = phi i64 [ %lo, %entry ], [ %next, %latch ]
  %more = icmp slt i64 %i, %hi
  br i1 %more, label %item, label %done
item:
  %t = trunc nuw i64 %i to i32
  %b = udiv i32 %n, 3
  %c1 = icmp ugt i32 %b, %t
  br i1 %c1, label %then, label %latch
then:
  %p = getelementptr i32, ptr %c, i64 %i
  store i32 1, ptr %p, align 4
  br label %latch
latch:
  %next = add nuw nsw i64 %i, 1
  br label %head, !kdsl.items !0
done:
  ret void
}
!0 = !{}
