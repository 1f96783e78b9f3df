; Accesses that are not side by side in an item gain nothing here: another row of the array in each iteration.
; All iterations together are too much code for what LLVM does later as well.
; RUN-PASS: unroll-short-loops --march=x86-64-v3
; CHECK: phi i64
; CHECK: phi i64 [ 0, %item ]
define void @f(ptr noalias %d, ptr noalias %a, i64 %n) {
entry:
  br label %head
head:
  %i = phi i64 [ 0, %entry ], [ %next, %latch ]
  %more = icmp slt i64 %i, %n
  br i1 %more, label %item, label %done
item:
  %first = mul nsw i64 %i, 1
  br label %loop
loop:
  %c = phi i64 [ 0, %item ], [ %c1, %round ]
  %again = icmp slt i64 %c, 8
  br i1 %again, label %body, label %after
body:
  %at = add nsw i64 %first, %c
  %p = getelementptr float, ptr %a, i64 %at
  %v = load float, ptr %p, align 4
  %s0 = fadd float %v, 1.0
  %s1 = fadd float %s0, 1.0
  %s2 = fadd float %s1, 1.0
  %s3 = fadd float %s2, 1.0
  %s4 = fadd float %s3, 1.0
  %s5 = fadd float %s4, 1.0
  %s6 = fadd float %s5, 1.0
  %s7 = fadd float %s6, 1.0
  %s8 = fadd float %s7, 1.0
  %s9 = fadd float %s8, 1.0
  %s10 = fadd float %s9, 1.0
  %s11 = fadd float %s10, 1.0
  %s12 = fadd float %s11, 1.0
  %s13 = fadd float %s12, 1.0
  %row = mul nsw i64 %c, 100
  %far = add nsw i64 %row, %i
  %q = getelementptr float, ptr %d, i64 %far
  store float %s13, ptr %q, align 4
  br label %round
round:
  %c1 = add nsw i64 %c, 1
  br label %loop
after:
  br label %latch
latch:
  %next = add nsw i64 %i, 1
  br label %head, !kdsl.items !0
done:
  ret void
}
!0 = !{}
