; A loop that is left early is unrolled: values used after it come from phis with a value for each exit.
; RUN-PASS: unroll-short-loops --march=x86-64-v3
; CHECK-NOT: phi i64 [ 0, %item ]
; CHECK-DAG: fcmp ogt float %{{.*}}, 1.000000e+00
; CHECK-DAG: fcmp ogt float %{{.*}}, 2.000000e+00
; CHECK-DAG: fcmp ogt float %{{.*}}, 3.000000e+00
; CHECK-DAG: phi i64 [ 3, %{{.*}} ], [ 0, %{{.*}} ], [ 1, %{{.*}} ], [ 2, %{{.*}} ]
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
  %again = icmp slt i64 %c, 3
  br i1 %again, label %body, label %after
body:
  %found = fcmp ogt float %v, %limit
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
