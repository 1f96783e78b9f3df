; A copy between arrays of the program, which are contiguous, stays one.
; RUN-PASS: prepare-nests --march=x86-64-v3
; CHECK: call void @llvm.memcpy
define void @f(ptr noalias %x, ptr noalias %y, i64 %n) {
entry:
  br label %head
head:
  %i = phi i64 [ 0, %entry ], [ %next, %latch ]
  %more = icmp slt i64 %i, %n
  br i1 %more, label %body, label %done
body:
  %px = getelementptr [16 x i32], ptr %x, i64 %i
  %py = getelementptr [16 x i32], ptr %y, i64 %i
  call void @llvm.memcpy.p0.p0.i64(ptr align 4 %px, ptr align 4 %py, i64 64, i1 false)
  br label %latch
latch:
  %next = add nsw i64 %i, 1
  br label %head, !kdsl.items !0
done:
  ret void
}
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
!0 = !{}
