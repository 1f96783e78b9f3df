; A choice between what is in the place and something else: LLVM would make a masked store of it.
; RUN-PASS: vectorize --march=x86-64-v3
; CHECK: select
; CHECK: arithmetic.fence
; CHECK: store <8 x i32>
define void @f(ptr noalias %x, ptr noalias %y, ptr noalias %o, i64 %n) {
entry:
  br label %head
head:
  %i = phi i64 [ 0, %entry ], [ %next, %latch ]
  %more = icmp slt i64 %i, %n
  br i1 %more, label %body, label %done
body:
  %px = getelementptr i32, ptr %x, i64 %i
  %v = load i32, ptr %px, align 4
  %po = getelementptr i32, ptr %o, i64 %i
  %old = load i32, ptr %po, align 4
  %c = icmp sgt i32 %v, 5
  %w = select i1 %c, i32 %v, i32 %old
  store i32 %w, ptr %po, align 4
  br label %latch
latch:
  %next = add nsw i64 %i, 1
  br label %head, !kdsl.items !0
done:
  ret void
}
!0 = !{}
