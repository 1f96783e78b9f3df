; A check before the load may be what makes the first address valid: it is not read before the loop.
; RUN-PASS: carry-elements --march=x86-64-v3
; CHECK-NOT: carried
; CHECK: good:
; CHECK: load double, ptr %q
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
  %j = phi i64 [ 1, %item ], [ %j1, %good ]
  %again = icmp slt i64 %j, %m
  br i1 %again, label %body, label %after
body:
  %r = getelementptr double, ptr %in, i64 %j
  %v = load double, ptr %r, align 8
  %bad = fcmp olt double %v, 0.0
  br i1 %bad, label %fail, label %good
good:
  %p = getelementptr double, ptr %row, i64 %j
  %before = sub nsw i64 %j, 1
  %q = getelementptr double, ptr %row, i64 %before
  %old = load double, ptr %q, align 8
  %new = fadd double %old, %v
  store double %new, ptr %p, align 8
  %j1 = add nsw i64 %j, 1
  br label %loop
fail:
  ret void
after:
  br label %latch
latch:
  %next = add nsw i64 %i, 1
  br label %head, !kdsl.items !0
done:
  ret void
}
!0 = !{}
