; A bound that is a quotient is not computed before the items, since its divisor may be zero; the test of that narrows.
; RUN-PASS: narrow-loops --march=x86-64-v3
; CHECK: entry:
; CHECK-NOT: sdiv
; CHECK: item:
; CHECK: %b = sdiv i64 %n, %m
define void @f(ptr noalias %c, ptr noalias %a, i64 %lo, i64 %hi, i64 %n, i64 %m) {
entry:
  br label %head
head:
  %i = phi i64 [ %lo, %entry ], [ %next, %latch ]
  %more = icmp slt i64 %i, %hi
  br i1 %more, label %item, label %done
item:
  %c0 = icmp eq i64 %m, 0
  br i1 %c0, label %latch0, label %on
on:
  %b = sdiv i64 %n, %m
  %c1 = icmp slt i64 %i, %b
  br i1 %c1, label %then, label %latch0
latch0:
  br label %latch
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
