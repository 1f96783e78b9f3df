; Stores to indices that are loaded themselves are scattered, lane after lane in order.
; RUN-PASS: vectorize --march=x86-64-v4
; CHECK: vectors:
; CHECK: call void @llvm.masked.scatter.v16f32.v16p0(<16 x float> {{%.*}}, <16 x ptr> align 4
define void @f(ptr noalias %x, ptr noalias %at, ptr noalias %y, i64 %n) {
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
  %t = fdiv float %s, 3.0
  %r = getelementptr i32, ptr %at, i64 %i
  %k = load i32, ptr %r, align 4
  %q = getelementptr float, ptr %y, i32 %k
  store float %t, ptr %q, align 4
  br label %latch
latch:
  %next = add nsw i64 %i, 1
  br label %head, !kdsl.items !0
done:
  ret void
}
!0 = !{}
