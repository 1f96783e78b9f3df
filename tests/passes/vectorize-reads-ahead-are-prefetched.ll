; What a loop says it reads soon is prefetched once for each line of memory, and not for each item.
; RUN-PASS: vectorize --march=x86-64-v4
; CHECK: vectors:
; CHECK: call void @llvm.prefetch.p0(
; CHECK: load <16 x float>
; CHECK-NOT: kdsl.ahead
define void @f(ptr noalias %x, ptr noalias %y, i64 %n) {
entry:
  br label %head
head:
  %i = phi i64 [ 0, %entry ], [ %next, %latch ]
  %more = icmp slt i64 %i, %n
  br i1 %more, label %body, label %done
body:
  %p = getelementptr float, ptr %x, i64 %i
  %soon = getelementptr i8, ptr %p, i64 4096
  call void @kdsl.ahead(ptr %soon, i32 0)
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
declare void @kdsl.ahead(ptr, i32)
!0 = !{}
