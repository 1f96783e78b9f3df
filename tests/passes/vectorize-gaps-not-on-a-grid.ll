; What is added to the index may differ from row to row, and another row's items write what lies between.
; RUN-PASS: vectorize --march=x86-64-v3 --vector=always
; CHECK: vectors:
; CHECK-NOT: store <8 x float>
; CHECK: call void @llvm.masked.scatter
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
  %at1 = add nsw i64 %at, %k
  %q = getelementptr float, ptr %y, i64 %at1
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
