; A store under a condition, of an element that no item has read, keeps its mask: other items may write there.
; RUN-PASS: vectorize --march=x86-64-v3
; CHECK: vectors:
; CHECK: live:
; CHECK: call void @llvm.masked.store.v8f32.p0(
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
  %c = fcmp ogt float %v, 1.0
  br i1 %c, label %then, label %latch
then:
  %q = getelementptr float, ptr %y, i64 %i
  store float %v, ptr %q, align 4
  br label %latch
latch:
  %next = add nsw i64 %i, 1
  br label %head, !kdsl.items !0
done:
  ret void
}
!0 = !{}
