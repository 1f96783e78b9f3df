; A conjunction of comparisons, as the language writes `&&`, narrows the loop from both ends.
; RUN-PASS: narrow-loops --march=x86-64-v3
; CHECK: [[LO:%.*]] = trunc nsw i128
; CHECK: [[HI:%.*]] = trunc nsw i128
; CHECK: phi i64 [ [[LO]], %entry ]
; CHECK: icmp slt i64 {{%.*}}, [[HI]]
; CHECK-NOT: br i1 {{.*}}label %then
define void @f(ptr noalias %c, ptr noalias %a, i64 %lo, i64 %hi, i64 %n) {
entry:
  br label %head
head:
  %i = phi i64 [ %lo, %entry ], [ %next, %latch ]
  %more = icmp slt i64 %i, %hi
  br i1 %more, label %item, label %done
item:
  %c1 = icmp sgt i64 %i, 3
  br i1 %c1, label %and, label %logic
and:
  %n1 = add nsw i64 %n, -1
  %c2 = icmp slt i64 %i, %n1
  br label %logic
logic:
  %c3 = phi i1 [ false, %item ], [ %c2, %and ]
  br i1 %c3, label %then, label %latch
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
