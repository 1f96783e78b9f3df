; Neighbours' elements are loaded, computed with and stored as vectors of 512 bits.
; RUN-PASS: vectorize --march=x86-64-v4
; CHECK-LABEL: define void @f(
; CHECK: vectors:
; CHECK: load <16 x float>, ptr {{%.*}}, align 4
; CHECK: fmul <16 x float>
; CHECK: store <16 x float> {{%.*}}, align 4
; CHECK-NOT: kdsl.items
; CHECK: attributes #0 = { "kdsl-vector" "min-legal-vector-width"="512" "prefer-vector-width"="512" }
define void @f(ptr noalias %x, ptr noalias %y, i64 %n) {
entry:
  br label %head
head:
  %i = phi i64 [ 0, %entry ], [ %next, %latch ]
  %more = icmp slt i64 %i, %n
  br i1 %more, label %body, label %done
body:
  %p = getelementptr float, ptr %x, i64 %i
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
