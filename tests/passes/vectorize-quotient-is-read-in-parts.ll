; u[(i + 1) / 2]: lanes two apart read contiguous elements, so two loads of half a vector are interleaved.
; RUN-PASS: vectorize --march=x86-64-v3
; CHECK: vectors:
; CHECK: [[A:%.*]] = load <4 x float>
; CHECK: [[B:%.*]] = load <4 x float>
; CHECK: shufflevector <4 x float> [[A]], <4 x float> [[B]], <8 x i32> <i32 0, i32 4, i32 1, i32 5, i32 2, i32 6, i32 3, i32 7>
; CHECK: store <8 x float>
define void @f(ptr noalias %x, ptr noalias %y, i64 %n) {
entry:
  br label %head
head:
  %i = phi i64 [ 0, %entry ], [ %next, %latch ]
  %more = icmp slt i64 %i, %n
  br i1 %more, label %body, label %done
body:
  %j = add nsw i64 %i, 1
  %at = lshr i64 %j, 1
  %p = getelementptr float, ptr %x, i64 %at
  %v = load float, ptr %p, align 4
  %s = fmul float %v, %v
  %q = getelementptr float, ptr %y, i64 %i
  store float %s, ptr %q, align 4
  br label %latch
latch:
  %next = add nsw i64 %i, 1
  br label %head, !kdsl.items !0
done:
  ret void
}
!0 = !{}
