; How many items there are is not known: the last row may be shorter.
; RUN-PASS: delinearise-loops --march=x86-64-v3
; CHECK: items:
; CHECK: icmp slt i64 %x, %n
; CHECK-NOT: !kdsl.rows
define void @f(ptr noalias %tile, i64 %n) {
entry:
  br label %items
items:
  %x = phi i64 [ 0, %entry ], [ %next, %latch ]
  %more = icmp slt i64 %x, %n
  br i1 %more, label %item, label %done
item:
  %y = udiv i64 %x, 16
  %c = urem i64 %x, 16
  %p = getelementptr [17 x float], ptr %tile, i64 %y, i64 %c
  store float 1.0, ptr %p, align 4
  br label %latch
latch:
  %next = add nuw nsw i64 %x, 1
  br label %items, !kdsl.items !0
done:
  ret void
}
!0 = !{}
