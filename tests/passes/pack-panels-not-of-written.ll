; An array that the kernel may write is not packed.
; RUN-PASS: pack-panels --march=x86-64-v3
; CHECK-NOT: alloca
; CHECK: ret void
define void @f(ptr noalias readonly %a, ptr noalias  %b, ptr noalias %c, i64 %n, i64 %m, i64 %l) {
entry:
  br label %rows
rows:
  %i = phi i64 [ 0, %entry ], [ %down, %row.end ]
  %below = icmp slt i64 %i, %n
  br i1 %below, label %row, label %done
row:
  br label %head
head:
  %j = phi i64 [ 0, %row ], [ %next, %latch ]
  %more = icmp slt i64 %j, %m
  br i1 %more, label %item, label %row.end
item:
  br label %enter
enter:
  br label %loop
loop:
  %k = phi i64 [ 0, %enter ], [ %k1, %body ]
  %s = phi double [ 0.0, %enter ], [ %t, %body ]
  %again = icmp slt i64 %k, %l
  br i1 %again, label %body, label %after
body:
  %at.a = mul nsw i64 %k, %n
  %at.ai = add nsw i64 %at.a, %i
  %p = getelementptr double, ptr %a, i64 %at.ai
  %v = load double, ptr %p, align 8
  %at.b = mul nsw i64 %k, %m
  %at.bj = add nsw i64 %at.b, %j
  %q = getelementptr double, ptr %b, i64 %at.bj
  %w = load double, ptr %q, align 8
  %vw = fmul double %v, %w
  %t = fadd double %s, %vw
  %k1 = add nsw i64 %k, 1
  br label %loop
after:
  %start = mul nsw i64 %i, %m
  %place = add nsw i64 %start, %j
  %r = getelementptr double, ptr %c, i64 %place
  store double %s, ptr %r, align 8
  br label %latch
latch:
  %next = add nsw i64 %j, 1
  br label %head, !kdsl.items !0
row.end:
  %down = add nsw i64 %i, 1
  br label %rows, !kdsl.rows !0
done:
  ret void
}
!0 = !{}
