; The array may have another name: nothing is carried.
; RUN-PASS: carry-elements --march=x86-64-v3
; CHECK-NOT: carried
; CHECK: body:
; CHECK: load double, ptr %q
; CHECK: ret void
define void @f(ptr %y, ptr noalias %x, i64 %n, i64 %m) {
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
  %k = phi i64 [ 1, %item ], [ %k1, %body ]
  %over = icmp sgt i64 %k, %i
  br i1 %over, label %after, label %body
body:
  %j = sub nsw i64 %m, %k
  %p = getelementptr double, ptr %row, i64 %j
  %behind = add nsw i64 %j, 1
  %q = getelementptr double, ptr %row, i64 %behind
  %old = load double, ptr %q, align 8
  %new = fmul double %old, %old
  store double %new, ptr %p, align 8
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
