; The last items of a row, fewer than a vector has, are loaded and stored under a mask of the lanes that are items.
; RUN-PASS: vectorize --march=x86-64-v4
; CHECK: [[ITEMS:%.*]] = icmp slt <16 x i32> <i32 0, i32 1, i32 2,
; CHECK: call <16 x float> @llvm.masked.load.v16f32.p0(ptr align 4 {{%.*}}, <16 x i1> [[ITEMS]]
; CHECK: call void @llvm.masked.store.v16f32.p0({{.*}}, <16 x i1> [[ITEMS]])
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
