; What wraps around is the same for all items, so nothing is gained.
; RUN-PASS: unroll-short-loops --march=x86-64-v3
; CHECK: phi i64 [ 0, %item ]
define void @f(ptr noalias %d, ptr noalias %a, i64 %n) {
entry:
  br label %head
head:
  %i = phi i64 [ 0, %entry ], [ %next, %latch ]
  %more = icmp slt i64 %i, %n
  br i1 %more, label %item, label %done
item:
  br label %loop
loop:
  %c = phi i64 [ 0, %item ], [ %c1, %body ]
  %sum = phi float [ 0.0, %item ], [ %sum1, %body ]
  %again = icmp slt i64 %c, 3
  br i1 %again, label %body, label %after
body:
  %shifted = add nuw nsw i64 %c, 7
  %at = urem i64 %shifted, %n
  %p = getelementptr float, ptr %a, i64 %at
  %v = load float, ptr %p, align 4
  %sum1 = fadd float %sum, %v
  %c1 = add nsw i64 %c, 1
  br label %loop
after:
  %q = getelementptr float, ptr %d, i64 %i
  store float %sum, ptr %q, align 4
  br label %latch
latch:
  %next = add nsw i64 %i, 1
  br label %head, !kdsl.items !0
done:
  ret void
}
!0 = !{}
