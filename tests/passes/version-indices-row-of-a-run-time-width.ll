; x[r * w + i] with an i32 w: the product and the sum are tested before the nest, and done in 64 bits.
; RUN-PASS: version-indices --march=x86-64-v3
; CHECK: sext i32 %w to i64
; CHECK: br i1 {{%.*}}, label %holds, label %fails
; CHECK: holds:
; CHECK: [[I:%.*]] = phi i64
; CHECK: getelementptr float, ptr %x
; CHECK-NEXT: getelementptr float, ptr {{%.*}}, i64 [[I]]
; CHECK: fails:
; CHECK: add i32
define void @f(ptr noalias %x, ptr noalias %y, i32 %w, i32 %r, i64 %n) {
entry:
  br label %head
head:
  %i = phi i64 [ 0, %entry ], [ %next, %latch ]
  %more = icmp slt i64 %i, %n
  br i1 %more, label %body, label %done
body:
  %q32 = trunc i64 %i to i32
  %row = mul i32 %r, %w
  %sum = add i32 %row, %q32
  %at = sext i32 %sum to i64
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
