; The same as two shifts, of which the second one also multiplies by the size of an element.
; RUN-PASS: version-indices --march=x86-64-v3
; CHECK: holds:
; CHECK: [[I:%.*]] = phi i64
; CHECK: [[BYTES:%.*]] = shl nsw i64 [[I]], 2
; CHECK: getelementptr i8, ptr %x, i64 [[BYTES]]
; CHECK: fails:
; CHECK: ashr exact i64 {{%.*}}, 30
define void @f(ptr noalias %x, ptr noalias %y, i32 %w, i64 %n) {
entry:
  br label %head
head:
  %i = phi i64 [ 0, %entry ], [ %next, %latch ]
  %more = icmp slt i64 %i, %n
  br i1 %more, label %body, label %done
body:
  %up = shl i64 %i, 32
  %bytes = ashr exact i64 %up, 30
  %p = getelementptr i8, ptr %x, i64 %bytes
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
