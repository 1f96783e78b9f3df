; A condition on a narrow index becomes one on the index, from which the loop's bounds can be narrowed.
; RUN-PASS: version-indices --march=x86-64-v3
; CHECK: holds:
; CHECK: [[I:%.*]] = phi i64
; CHECK: [[M:%.*]] = sext i32 %w to i64
; CHECK: icmp slt i64 [[I]], [[M]]
; CHECK: fails:
; CHECK: icmp sgt i32 %w
define void @f(ptr noalias %x, ptr noalias %y, i32 %w, i64 %n) {
entry:
  br label %head
head:
  %i = phi i64 [ 0, %entry ], [ %next, %latch ]
  %more = icmp slt i64 %i, %n
  br i1 %more, label %body, label %done
body:
  %q32 = trunc i64 %i to i32
  %less = icmp sgt i32 %w, %q32
  br i1 %less, label %then, label %latch
then:
  %q = getelementptr float, ptr %y, i64 %i
  store float 1.0, ptr %q, align 4
  br label %latch
latch:
  %next = add nuw nsw i64 %i, 1
  br label %head, !kdsl.items !0
done:
  ret void
}
!0 = !{}
