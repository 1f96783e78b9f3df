; Minima and maxima of narrow indices are those of the wide ones.
; RUN-PASS: version-indices --march=x86-64-v3
; CHECK: holds:
; CHECK: call i64 @llvm.smax.i64
; CHECK: call i64 @llvm.smin.i64
; CHECK: fails:
; CHECK: call i32 @llvm.smin.i32
define void @f(ptr noalias %x, ptr noalias %y, i32 %w, i64 %n) {
entry:
  br label %head
head:
  %i = phi i64 [ 0, %entry ], [ %next, %latch ]
  %more = icmp slt i64 %i, %n
  br i1 %more, label %body, label %done
body:
  %q32 = trunc i64 %i to i32
  %left = add i32 %q32, -1
  %a = call i32 @llvm.smax.i32(i32 %left, i32 0)
  %b = call i32 @llvm.smin.i32(i32 %a, i32 %w)
  %at = sext i32 %b to i64
  %p = getelementptr float, ptr %x, i64 %at
  %v = load float, ptr %p, align 4
  %q = getelementptr float, ptr %y, i64 %i
  store float %v, ptr %q, align 4
  br label %latch
latch:
  %next = add nuw nsw i64 %i, 1
  br label %head, !kdsl.items !0
done:
  ret void
}
declare i32 @llvm.smax.i32(i32, i32)
declare i32 @llvm.smin.i32(i32, i32)
!0 = !{}
