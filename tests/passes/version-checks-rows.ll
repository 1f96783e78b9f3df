; In a nest of two loops, each index is bounded along its own axis, with factors and constants.
; RUN-PASS: version-checks --march=x86-64-v3
; CHECK: br i1 {{%.*}}, label %holds, label %fails
; CHECK: holds:
; CHECK-NOT: icmp ult
; CHECK: fails:
; CHECK: icmp ult
; CHECK: icmp ult
define void @f(ptr noalias %x, ptr noalias %y, i64 %h, i64 %w, i64 %n, i64 %m) {
entry:
  br label %rows
rows:
  %i = phi i64 [ 0, %entry ], [ %i1, %row.done ]
  %more.rows = icmp slt i64 %i, %n
  br i1 %more.rows, label %row, label %done
row:
  br label %head
head:
  %j = phi i64 [ 0, %row ], [ %j1, %latch ]
  %more = icmp slt i64 %j, %m
  br i1 %more, label %body, label %row.done
body:
  %i2 = shl i64 %i, 1
  %j2 = shl i64 %j, 1
  %j3 = or disjoint i64 %j2, 1
  %ok = icmp ult i64 %i2, %h
  br i1 %ok, label %next, label %outside
next:
  %ok2 = icmp ult i64 %j3, %w
  br i1 %ok2, label %inside, label %outside2
inside:
  %r = mul nsw i64 %i2, %w
  %at = add nsw i64 %r, %j3
  %p = getelementptr float, ptr %x, i64 %at
  %v = load float, ptr %p, align 4
  %r2 = mul nsw i64 %i, %m
  %at2 = add nsw i64 %r2, %j
  %q = getelementptr float, ptr %y, i64 %at2
  store float %v, ptr %q, align 4
  br label %latch
latch:
  %j1 = add nuw nsw i64 %j, 1
  br label %head, !kdsl.items !0
row.done:
  %i1 = add nuw nsw i64 %i, 1
  br label %rows, !kdsl.rows !0
outside:
  ret void
outside2:
  ret void
done:
  ret void
}
!0 = !{}
