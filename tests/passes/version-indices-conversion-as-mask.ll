; Without a sign the low half is a mask, here of a quotient.
; RUN-PASS: version-indices --march=x86-64-v3
; CHECK: holds:
; CHECK: [[I:%.*]] = phi i64
; CHECK: [[HALF:%.*]] = lshr i64 [[I]], 1
; CHECK-NEXT: getelementptr float, ptr %x, i64 [[HALF]]
; CHECK: fails:
; CHECK: and i64
define void @f(ptr noalias %x, ptr noalias %y, i32 %w, i64 %n) {
entry:
  br label %head
head:
  %i = phi i64 [ 0, %entry ], [ %next, %latch ]
  %more = icmp slt i64 %i, %n
  br i1 %more, label %body, label %done
body:
  %half = lshr i64 %i, 1
  %at = and i64 %half, 2147483647
  %p = getelementptr float, ptr %x, i64 %at
  %v = load float, ptr %p, align 4
  %q = getelementptr float, ptr %y, i64 %i
  store float %v, ptr %q, align 4
  br label %latch
latch:
  %next = add nuw nsw i64 %i, 1
  br label %head, !kdsl.items !0
done:
  ret void
}
!0 = !{}
