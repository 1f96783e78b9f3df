; A counter of an item's loop is less than its limit in the rounds: x[i + e] with e in 0..3 needs i + 2 < size at the end.
; RUN-PASS: version-checks --march=x86-64-v3
; CHECK: br i1 {{%.*}}, label %holds, label %fails
; CHECK: holds:
; CHECK-NOT: icmp uge
; CHECK: fails:
; CHECK: icmp uge
define void @f(ptr noalias %x, ptr noalias %y, i64 %size, i64 %n) {
entry:
  br label %head
head:
  %i = phi i64 [ 0, %entry ], [ %next, %latch ]
  %more = icmp slt i64 %i, %n
  br i1 %more, label %body, label %done
body:
  br label %loop
loop:
  %e = phi i64 [ 0, %body ], [ %e1, %inside ]
  %s = phi float [ 0.0, %body ], [ %t, %inside ]
  %again = icmp samesign ult i64 %e, 3
  br i1 %again, label %round, label %out
round:
  %at = add i64 %i, %e
  %bad = icmp uge i64 %at, %size
  br i1 %bad, label %outside, label %inside
inside:
  %p = getelementptr float, ptr %x, i64 %at
  %v = load float, ptr %p, align 4
  %t = fadd float %s, %v
  %e1 = add nuw nsw i64 %e, 1
  br label %loop
out:
  %q = getelementptr float, ptr %y, i64 %i
  store float %s, ptr %q, align 4
  br label %latch
latch:
  %next = add nuw nsw i64 %i, 1
  br label %head, !kdsl.items !0
outside:
  ret void
done:
  ret void
}
!0 = !{}
