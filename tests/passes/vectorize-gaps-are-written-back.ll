; Two of three neighbouring elements of an item: three vectors are loaded, before any of them is stored, blended and stored;
; the last one ends with the last item's last element.
; RUN-PASS: vectorize --march=x86-64-v3
; CHECK: vectors:
; CHECK: [[P:%.*]] = getelementptr i8, ptr [[Q:%.*]], i64 0
; CHECK: [[OLD:%.*]] = load <8 x float>, ptr [[P]], align 4
; CHECK: getelementptr i8, ptr [[Q]], i64 60
; CHECK: load <8 x float>
; CHECK: [[NEW:%.*]] = select <8 x i1> <i1 true, i1 true, i1 false, i1 true, i1 true, i1 false, i1 true, i1 true>, <8 x float> {{%.*}}, <8 x float> [[OLD]]
; CHECK: store <8 x float> [[NEW]], ptr [[P]], align 4
define void @f(ptr noalias %x, ptr noalias %y, i64 %n, i64 %k) {
entry:
  br label %head
head:
  %i = phi i64 [ 0, %entry ], [ %next, %latch ]
  %more = icmp slt i64 %i, %n
  br i1 %more, label %body, label %done
body:
  %p = getelementptr float, ptr %x, i64 %i
  %v = load float, ptr %p, align 4
  %w = fmul float %v, %v
  %at = mul nsw i64 %i, 3
  %q = getelementptr float, ptr %y, i64 %at
  store float %v, ptr %q, align 4
  %q1 = getelementptr i8, ptr %q, i64 4
  store float %w, ptr %q1, align 4
  br label %latch
latch:
  %next = add nsw i64 %i, 1
  br label %head, !kdsl.items !0
done:
  ret void
}
!0 = !{}
