; What an iteration has stored the next one takes from a register; the first one reads it before the loop, if there is a
; first one.
; RUN-PASS: carry-elements --march=x86-64-v3
; CHECK: icmp sgt i64 %m, 1
; CHECK: first:
; CHECK: load double, ptr %row
; CHECK: loop:
; CHECK: phi double [ {{%.*}}, %carried ], [ %new, %body ]
; CHECK: body:
; CHECK-NOT: load double, ptr %p
; CHECK: store double %new, ptr %p
define void @f(ptr noalias %y, ptr noalias %x, i64 %n, i64 %m) {
entry:
  br label %head
head:
  %i = phi i64 [ 0, %entry ], [ %next, %latch ]
  %more = icmp slt i64 %i, %n
  br i1 %more, label %item, label %done
item:
  %at = mul nsw i64 %i, %m
  %row = getelementptr double, ptr %y, i64 %at
  %in = getelementptr double, ptr %x, i64 %at
  br label %loop
loop:
  %j = phi i64 [ 1, %item ], [ %j1, %body ]
  %again = icmp slt i64 %j, %m
  br i1 %again, label %body, label %after
body:
  %p = getelementptr double, ptr %row, i64 %j
  %before = sub nsw i64 %j, 1
  %q = getelementptr double, ptr %row, i64 %before
  %old = load double, ptr %q, align 8
  %r = getelementptr double, ptr %in, i64 %j
  %v = load double, ptr %r, align 8
  %new = fadd double %old, %v
  store double %new, ptr %p, align 8
  %j1 = add nsw i64 %j, 1
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
