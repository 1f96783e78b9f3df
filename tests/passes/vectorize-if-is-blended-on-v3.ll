; A store under a condition, of an element that every item has read before, writes the old value back on AVX2.
; RUN-PASS: vectorize --march=x86-64-v3
; CHECK: vectors:
; CHECK: [[NEW:%.*]] = load <8 x float>
; CHECK: [[OLD:%.*]] = load <8 x float>, ptr [[AT:%.*]], align 4
; CHECK: live:
; CHECK: select <8 x i1> {{%.*}}, <8 x float> {{%.*}}, <8 x float>
; CHECK: store <8 x float>
; CHECK-NOT: llvm.masked.store
; CHECK: pieces:
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
  %q = getelementptr float, ptr %y, i64 %i
  %old = load float, ptr %q, align 4
  %c = fcmp ogt float %v, %old
  br i1 %c, label %then, label %latch
then:
  store float %v, ptr %q, align 4
  br label %latch
latch:
  %next = add nsw i64 %i, 1
  br label %head, !kdsl.items !0
done:
  ret void
}
!0 = !{}
