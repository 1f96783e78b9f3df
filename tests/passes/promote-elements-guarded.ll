; An item that comes to no iteration neither reads nor writes: the loop is entered on a condition.
; RUN-PASS: promote-elements --march=x86-64-v3
; CHECK: [[C:%.*]] = icmp slt i64 0, %m
; CHECK: br i1 [[C]], label %promote, label %promoted
; CHECK: body:
; CHECK-NOT: store
; CHECK: round:
; CHECK: demote:
; CHECK: br i1 [[C]], label %demoted, label %after
; CHECK: demoted:
; CHECK: store i32 {{%.*}}, ptr %p
; CHECK: promote:
; CHECK: load i32, ptr %p
define void @f(ptr noalias %c, ptr noalias %a, i64 %n, i64 %m) {
entry:
  br label %head
head:
  %i = phi i64 [ 0, %entry ], [ %next, %latch ]
  %more = icmp slt i64 %i, %n
  br i1 %more, label %item, label %done
item:
  %p = getelementptr i32, ptr %c, i64 %i
  br label %loop
loop:
  %k = phi i64 [ 0, %item ], [ %k1, %round ]
  %again = icmp slt i64 %k, %m
  br i1 %again, label %body, label %after
body:
  %q = getelementptr i32, ptr %a, i64 %k
  %v = load i32, ptr %q, align 4
  %old = load i32, ptr %p, align 4
  %new = add i32 %old, %v
  store i32 %new, ptr %p, align 4
  br label %round
round:
  %k1 = add nsw i64 %k, 1
  br label %loop
after:
  br label %latch
latch:
  %next = add nsw i64 %i, 1
  br label %head, !kdsl.items !0
done:
  ret void
}
!0 = !{}
