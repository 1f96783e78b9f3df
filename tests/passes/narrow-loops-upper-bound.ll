; `if i < n { ... }`: the loop ends at the least of n and its end, which is not before its begin.
; RUN-PASS: narrow-loops --march=x86-64-v3
; CHECK: [[END:%.*]] = select i1 {{%.*}}, i64 %lo, i64 %hi
; CHECK: sext i64 [[END]] to i128
; CHECK: [[HI:%.*]] = trunc nsw i128 {{%.*}} to i64
; CHECK: icmp slt i64 {{%.*}}, [[HI]]
; CHECK: item:
; CHECK-NEXT: br label %then
define void @f(ptr noalias %c, ptr noalias %a, i64 %lo, i64 %hi, i64 %n) {
entry:
  br label %head
head:
  %i = phi i64 [ %lo, %entry ], [ %next, %latch ]
  %more = icmp slt i64 %i, %hi
  br i1 %more, label %item, label %done
item:
  %c1 = icmp slt i64 %i, %n
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
