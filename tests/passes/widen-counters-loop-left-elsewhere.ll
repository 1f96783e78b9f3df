; The header does not leave the loop: where the counter is added to, it may be anything.
; RUN-PASS: widen-counters --march=x86-64-v3
; CHECK-NOT: test:
; CHECK: phi i32
define void @f(ptr noalias %d, ptr noalias %a, i64 %n, i64 %k) {
entry:
  br label %head
head:
  %i = phi i64 [ 0, %entry ], [ %next, %latch ]
  %more = icmp slt i64 %i, %n
  br i1 %more, label %item, label %done
item:
  br label %loop
loop:
  %e = phi i32 [ 0, %item ], [ %e1, %ok ]
  %sum = phi float [ 0.0, %item ], [ %sum1, %ok ]
  %wide = sext i32 %e to i64
  %again = icmp slt i64 %wide, %k
  br i1 %again, label %body, label %ok
body:
  %inside = icmp ult i64 %wide, %k
  br i1 %inside, label %ok, label %fail
ok:
  %p = getelementptr float, ptr %a, i64 %wide
  %v = load float, ptr %p, align 4
  %sum1 = fadd float %sum, %v
  %e1 = add i32 %e, 1
  %stop = fcmp ogt float %sum1, 9.0
  br i1 %stop, label %after, label %loop
after:
  %q = getelementptr float, ptr %d, i64 %i
  store float %sum, ptr %q, align 4
  br label %latch
latch:
  %next = add nsw i64 %i, 1
  br label %head, !kdsl.items !0
fail:
  ret void
done:
  ret void
}
!0 = !{}
