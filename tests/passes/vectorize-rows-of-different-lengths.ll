; Each item sums a row of its own, from one number of a table to the next: the rows have different lengths. The loop is unrolled
; all the same. Four elements of each row are loaded together while the item still has so many, and transposed; other lanes read
; zeros.
; RUN-PASS: vectorize --march=x86-64-v3
; CHECK: @kdsl.nowhere = private constant
; CHECK: and <4 x i64> {{%.*}}, splat (i64 -4)
; CHECK: select <4 x i1> {{%.*}}, <4 x ptr> {{%.*}}, <4 x ptr> <ptr @kdsl.nowhere
; CHECK-COUNT-4: load <4 x float>, ptr
; CHECK-COUNT-4: fadd <4 x float>
define void @f(ptr noalias %x, ptr noalias %start, ptr noalias %y, i64 %n) {
entry:
  br label %head
head:
  %i = phi i64 [ 0, %entry ], [ %next, %latch ]
  %more = icmp slt i64 %i, %n
  br i1 %more, label %body, label %done
body:
  %p = getelementptr i64, ptr %start, i64 %i
  %lo = load i64, ptr %p, align 8
  %p1 = getelementptr i8, ptr %p, i64 8
  %hi = load i64, ptr %p1, align 8
  br label %inner
inner:
  %k = phi i64 [ %lo, %body ], [ %k1, %add ]
  %sum = phi float [ 0.0, %body ], [ %sum1, %add ]
  %again = icmp slt i64 %k, %hi
  br i1 %again, label %add, label %after
add:
  %q = getelementptr float, ptr %x, i64 %k
  %v = load float, ptr %q, align 4
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
