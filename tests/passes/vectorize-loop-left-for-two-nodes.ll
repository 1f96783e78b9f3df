; A loop that items leave for two nodes: in its rounds only the mask of those that go on is kept up. The lanes that came to
; `early` are those that entered the loop and did not come to `late`.
; RUN-PASS: vectorize --march=x86-64-v3
; CHECK-LABEL: define void @f(
; CHECK: loop.done:
; CHECK: [[CAME:%[0-9]+]] = load <8 x i32>, ptr %came{{[0-9]+}}
; CHECK: [[LATE:%[0-9]+]] = call <8 x i1> @kdsl.mask.bits.8x32(<8 x i32> [[CAME]])
; CHECK: xor <8 x i1> [[LATE]], splat (i1 true)
define void @f(ptr noalias %x, ptr noalias %y) {
entry:
  br label %head
head:
  %i = phi i64 [ 0, %entry ], [ %next, %latch ]
  %more = icmp slt i64 %i, 4096
  br i1 %more, label %body, label %done
body:
  %p = getelementptr float, ptr %x, i64 %i
  %v = load float, ptr %p, align 4
  br label %loop
loop:
  %k = phi i32 [ 0, %body ], [ %k1, %on ]
  %s = phi float [ %v, %body ], [ %t, %on ]
  %again = icmp ult i32 %k, 100
  br i1 %again, label %round, label %late
round:
  %large = fcmp ogt float %s, 4.0
  br i1 %large, label %early, label %on
on:
  %t = fmul float %s, %v
  %k1 = add nuw nsw i32 %k, 1
  br label %loop
early:
  %q = getelementptr i32, ptr %y, i64 %i
  store i32 %k, ptr %q, align 4
  br label %latch
late:
  %r = getelementptr i32, ptr %y, i64 %i
  store i32 -1, ptr %r, align 4
  br label %latch
latch:
  %next = add nuw nsw i64 %i, 1
  br label %head, !kdsl.items !0
done:
  ret void
}
!0 = !{}
