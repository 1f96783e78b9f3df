; What wraps around is the same for all items, so nothing is gained, and all iterations together are too much code.
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
  %again = icmp slt i64 %c, 8
  br i1 %again, label %body, label %after
body:
  %shifted = add nuw nsw i64 %c, 7
  %at = urem i64 %shifted, %n
  %p = getelementptr float, ptr %a, i64 %at
  %v = load float, ptr %p, align 4
  %m0 = fmul float %v, %v
  %m1 = fmul float %m0, %v
  %m2 = fmul float %m1, %v
  %m3 = fmul float %m2, %v
  %m4 = fmul float %m3, %v
  %m5 = fmul float %m4, %v
  %m6 = fmul float %m5, %v
  %m7 = fmul float %m6, %v
  %m8 = fmul float %m7, %v
  %m9 = fmul float %m8, %v
  %m10 = fmul float %m9, %v
  %m11 = fmul float %m10, %v
  %m12 = fmul float %m11, %v
  %m13 = fmul float %m12, %v
  %m14 = fmul float %m13, %v
  %m15 = fmul float %m14, %v
  %sum1 = fadd float %sum, %m15
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
