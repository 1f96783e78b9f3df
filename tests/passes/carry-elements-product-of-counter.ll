; How far a product of the counter goes in an iteration is not known: an element 64 behind need not be the next one.
; RUN-PASS: carry-elements --march=x86-64-v3
; CHECK-NOT: carried
; CHECK: body:
; CHECK: load double
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
  %before = mul nsw i64 %j, %n
  %behind = add nsw i64 %before, 64
  %p = getelementptr double, ptr %row, i64 %behind
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
