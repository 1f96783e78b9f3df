; A search through more than four places of memory: few items come to the last, which stay in a loop.
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
  %p = getelementptr float, ptr %a, i64 %i
  %v = load float, ptr %p, align 4
  br label %loop
loop:
  %c = phi i64 [ 0, %item ], [ %c1, %round ]
  %limit = phi float [ 1.0, %item ], [ %higher, %round ]
  %again = icmp slt i64 %c, 6
  br i1 %again, label %body, label %after
body:
  %place = fptoui float %limit to i64
  %far = mul i64 %place, %place
  %which = urem i64 %far, 7
  %own = fptoui float %v to i64
  %at = add i64 %own, %which
  %r = getelementptr float, ptr %a, i64 %at
  %w = load float, ptr %r, align 4
  %found = fcmp ogt float %w, %limit
  br i1 %found, label %after, label %round
round:
  %higher = fadd float %limit, 1.0
  %c1 = add nsw i64 %c, 1
  br label %loop
after:
  %q = getelementptr i64, ptr %d, i64 %i
  store i64 %c, ptr %q, align 8
  br label %latch
latch:
  %next = add nsw i64 %i, 1
  br label %head, !kdsl.items !0
done:
  ret void
}
!0 = !{}
