; A loop with the same number of iterations for all items keeps a vector of their sums, and no mask.
; RUN-PASS: vectorize --march=x86-64-v4
; CHECK: vectors:
; CHECK: [[V:%.*]] = load <16 x float>, ptr {{%.*}}, align 4
; CHECK-NEXT: fadd <16 x float> {{%.*}}, [[V]]
; CHECK: icmp slt i64 {{%.*}}, %m
; CHECK-NOT: llvm.masked
; CHECK: many:
define void @f(ptr noalias %x, ptr noalias %y, i64 %n, i64 %m) {
entry:
  br label %head
head:
  %i = phi i64 [ 0, %entry ], [ %next, %latch ]
  %more = icmp slt i64 %i, %n
  br i1 %more, label %body, label %done
body:
  %p = getelementptr float, ptr %x, i64 %i
  br label %loop
loop:
  %k = phi i64 [ 0, %body ], [ %k1, %loop ]
  %s = phi float [ 0.0, %body ], [ %s1, %loop ]
  %r = getelementptr float, ptr %p, i64 %k
  %v = load float, ptr %r, align 4
  %s1 = fadd float %s, %v
  %k1 = add nsw i64 %k, 1
  %go = icmp slt i64 %k1, %m
  br i1 %go, label %loop, label %out
out:
  %q = getelementptr float, ptr %y, i64 %i
  store float %s1, ptr %q, align 4
  br label %latch
latch:
  %next = add nsw i64 %i, 1
  br label %head, !kdsl.items !0
done:
  ret void
}
!0 = !{}
