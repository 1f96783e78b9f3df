; Numbers from 0 to 65535: minima and comparisons without a sign.
; RUN-PASS: prepare-nests --march=x86-64-v3
; CHECK: umin.i16
; CHECK: icmp ugt i16
; CHECK-NOT: i32 %v
define void @f(ptr noalias %x, ptr noalias %y, ptr noalias %o, i64 %n) {
entry:
  br label %head
head:
  %i = phi i64 [ 0, %entry ], [ %next, %latch ]
  %more = icmp slt i64 %i, %n
  br i1 %more, label %body, label %done
body:
  %px = getelementptr i16, ptr %x, i64 %i
  %py = getelementptr i16, ptr %y, i64 %i
  %po = getelementptr i16, ptr %o, i64 %i
  %bx = load i16, ptr %px, align 1
  %by = load i16, ptr %py, align 1
  %vx = zext i16 %bx to i32
  %vy = zext i16 %by to i32
  %m = call i32 @llvm.smin.i32(i32 %vx, i32 %vy)
  %q = lshr i32 %m, 1
  %far = icmp sgt i32 %q, %vy
  %c = select i1 %far, i32 %q, i32 9
  %r = trunc i32 %c to i16
  store i16 %r, ptr %po, align 2
  br label %latch
latch:
  %next = add nsw i64 %i, 1
  br label %head, !kdsl.items !0
done:
  ret void
}
!0 = !{}
declare i32 @llvm.smin.i32(i32, i32)
