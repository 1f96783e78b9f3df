; Of three neighbours that are read in each iteration, two were read in the one before.
; RUN-PASS: carry-elements --march=x86-64-v3
; CHECK: body:
; CHECK: load double
; CHECK-NOT: load double
; CHECK: store double
; CHECK: ret void
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
  %l = add nsw i64 %j, -1
  %j1 = add nsw i64 %j, 1
  %p0 = getelementptr double, ptr %in, i64 %l
  %p1 = getelementptr double, ptr %in, i64 %j
  %p2 = getelementptr double, ptr %in, i64 %j1
  %v0 = load double, ptr %p0, align 8
  %v1 = load double, ptr %p1, align 8
  %v2 = load double, ptr %p2, align 8
  %s = fadd double %v0, %v1
  %t = fadd double %s, %v2
  %p = getelementptr double, ptr %row, i64 %j
  store double %t, ptr %p, align 8
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
