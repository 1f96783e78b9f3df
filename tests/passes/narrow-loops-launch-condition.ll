; A condition of the launch alone (loop unswitching): the loop has all of its items or none.
; RUN-PASS: narrow-loops --march=x86-64-v3
; CHECK: [[C:%.*]] = icmp slt i128
; CHECK: [[HI:%.*]] = select i1 [[C]], i64 {{%.*}}, i64 %lo
; CHECK: icmp slt i64 {{%.*}}, [[HI]]
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
  %c1 = icmp sgt i32 %n, 4
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
