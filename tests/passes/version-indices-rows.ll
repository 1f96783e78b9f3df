; In rows, what is left of a sum when the bounds of both axes are known; without a sign.
; RUN-PASS: version-indices --march=x86-64-v3
; CHECK: holds:
; CHECK: rows:
; CHECK: mul {{.*}}nsw i64
; CHECK-NEXT: add {{.*}}nsw i64
; CHECK: fails:
; CHECK: zext i32
define void @f(ptr noalias %x, ptr noalias %y, i32 %w, i64 %n, i64 %m) {
entry:
  br label %rows
rows:
  %j = phi i64 [ 0, %entry ], [ %j1, %row.done ]
  %more.rows = icmp slt i64 %j, %m
  br i1 %more.rows, label %row, label %done
row:
  br label %head
head:
  %i = phi i64 [ 0, %row ], [ %next, %latch ]
  %more = icmp slt i64 %i, %n
  br i1 %more, label %body, label %row.done
body:
  %i32 = trunc i64 %i to i32
  %j32 = trunc i64 %j to i32
  %begin = mul i32 %j32, %w
  %sum = add i32 %begin, %i32
  %at = zext i32 %sum to i64
  %p = getelementptr float, ptr %x, i64 %at
  %v = load float, ptr %p, align 4
  %q = getelementptr float, ptr %y, i64 %at
  store float %v, ptr %q, align 4
  br label %latch
latch:
  %next = add nuw nsw i64 %i, 1
  br label %head, !kdsl.items !0
row.done:
  %j1 = add nuw nsw i64 %j, 1
  br label %rows, !kdsl.rows !0
done:
  ret void
}
!0 = !{}
