; Minima, maxima and quotients of narrow indices that cannot wrap are those of the wide ones.
; RUN-PASS: prepare-nests --march=x86-64-v3
; CHECK: call i64 @llvm.smax.i64
; CHECK: add nsw i64 {{%.*}}, -1
; CHECK: call i64 @llvm.smin.i64
; CHECK-NOT: i32 @llvm
; CHECK: {{[su]}}div
define void @f(ptr noalias %x, ptr noalias %y, i32 %w, i64 %n) {
entry:
  br label %head
head:
  %i = phi i64 [ 0, %entry ], [ %next, %latch ]
  %more = icmp slt i64 %i, %n
  br i1 %more, label %body, label %done
body:
  %i32 = trunc nsw i64 %i to i32
  %left = add nsw i32 %i32, -1
  %a = call i32 @llvm.smax.i32(i32 %left, i32 5)
  %b = call i32 @llvm.smin.i32(i32 %a, i32 %w)
  %third = sdiv i32 %b, 3
  %at = sext i32 %third to i64
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
