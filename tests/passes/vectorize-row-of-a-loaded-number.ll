; The number of an item's row is loaded in the loop along the row, in which nothing is written: it is the same in each
; iteration, so the loop is unrolled, and the rows are loaded as vectors.
; RUN-PASS: vectorize --march=x86-64-v3
; CHECK: load <8 x i32>, ptr
; CHECK: load <8 x i32>, ptr
; CHECK: load <8 x i32>, ptr
; CHECK: shufflevector <8 x i32>
define void @f(ptr noalias %x, ptr noalias %at, ptr noalias %y, i64 %n, i64 %m) {
entry:
  br label %head
head:
  %i = phi i64 [ 0, %entry ], [ %next, %latch ]
  %more = icmp slt i64 %i, %n
  br i1 %more, label %body, label %done
body:
  %p = getelementptr i32, ptr %at, i64 %i
  br label %inner
inner:
  %k = phi i64 [ 0, %body ], [ %k1, %add ]
  %sum = phi float [ 0.0, %body ], [ %sum1, %add ]
  %again = icmp slt i64 %k, %m
  br i1 %again, label %add, label %after
add:
  %any = load i32, ptr %p, align 4
  %row = and i32 %any, 15
  %row64 = sext i32 %row to i64
  %first = mul nsw i64 %row64, %m
  %to = add nsw i64 %first, %k
  %q = getelementptr i32, ptr %x, i64 %to
  %w = load i32, ptr %q, align 4
  %v = sitofp i32 %w to float
  %sum1 = fadd float %sum, %v
  %k1 = add nsw i64 %k, 1
  br label %inner
after:
  %r = getelementptr float, ptr %y, i64 %i
  store float %sum, ptr %r, align 4
  br label %latch
latch:
  %next = add nsw i64 %i, 1
  br label %head, !kdsl.items !0
done:
  ret void
}
!0 = !{}
