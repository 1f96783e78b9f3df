; x[i * 8 + k] in a loop over k in 0..w: the bounds of the counter are those of its loop.
; RUN-PASS: version-indices --march=x86-64-v3
; CHECK: holds:
; CHECK: loop:
; CHECK: zext nneg i32 %k to i64
; CHECK-NOT: add i32
; CHECK: fails:
; CHECK: add i32
define void @f(ptr noalias %x, ptr noalias %y, i32 %w, i64 %n) {
entry:
  br label %head
head:
  %i = phi i64 [ 0, %entry ], [ %next, %latch ]
  %more = icmp slt i64 %i, %n
  br i1 %more, label %body, label %done
body:
  %q32 = trunc i64 %i to i32
  %row = mul i32 %q32, 8
  br label %loop
loop:
  %k = phi i32 [ 0, %body ], [ %k1, %inside ]
  %s = phi float [ 0.0, %body ], [ %s1, %inside ]
  %again = icmp slt i32 %k, %w
  br i1 %again, label %inside, label %after
inside:
  %sum = add i32 %row, %k
  %at = sext i32 %sum to i64
  %p = getelementptr float, ptr %x, i64 %at
  %v = load float, ptr %p, align 4
  %s1 = fadd float %s, %v
  %k1 = add nsw i32 %k, 1
  br label %loop
after:
  %q = getelementptr float, ptr %y, i64 %i
  store float %s, ptr %q, align 4
  br label %latch
latch:
  %next = add nuw nsw i64 %i, 1
  br label %head, !kdsl.items !0
done:
  ret void
}
!0 = !{}
