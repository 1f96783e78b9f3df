; An item's variables become values.
; RUN-PASS: prepare-nests --march=x86-64-v3
define void @f(ptr noalias %x, ptr noalias %y, i64 %n) {
; CHECK-LABEL: define void @f(
; CHECK-NOT: alloca
; CHECK: [[V:%.*]] = load float, ptr %p
; CHECK: store float [[V]], ptr %q
entry:
  %own = alloca float, align 4
  br label %head
head:
  %i = phi i64 [ 0, %entry ], [ %next, %latch ]
  %more = icmp slt i64 %i, %n
  br i1 %more, label %body, label %done
body:
  %p = getelementptr float, ptr %x, i64 %i
  %v = load float, ptr %p, align 4
  store float %v, ptr %own, align 4
  %w = load float, ptr %own, align 4
  %q = getelementptr float, ptr %y, i64 %i
  store float %w, ptr %q, align 4
  br label %latch
latch:
  %next = add nsw i64 %i, 1
  br label %head, !kdsl.items !0
done:
  ret void
}
!0 = !{}
