; An array of each item's own becomes one for all items of a block, with the items' elements side by side.
; RUN-PASS: vectorize --march=x86-64-v4
; CHECK: alloca [1024 x i8], align 64
; CHECK: vectors:
; CHECK: store <16 x float>
; CHECK: call <16 x float> @llvm.masked.gather.v16f32
define void @f(ptr noalias %x, i64 %n) {
entry:
  %own = alloca [4 x float], align 16
  br label %head
head:
  %i = phi i64 [ 0, %entry ], [ %next, %latch ]
  %more = icmp slt i64 %i, %n
  br i1 %more, label %body, label %done
body:
  %p = getelementptr float, ptr %x, i64 %i
  %v = load float, ptr %p, align 4
  %k = fptosi float %v to i32
  %k1 = and i32 %k, 1
  %second = getelementptr float, ptr %own, i64 1
  store float %v, ptr %own, align 4
  store float 1.0, ptr %second, align 4
  %r = getelementptr float, ptr %own, i32 %k1
  %t = load float, ptr %r, align 4
  store float %t, ptr %p, align 4
  br label %latch
latch:
  %next = add nsw i64 %i, 1
  br label %head, !kdsl.items !0
done:
  ret void
}
!0 = !{}
