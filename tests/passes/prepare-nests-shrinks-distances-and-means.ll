; What lies between does not fit 16 bits, the result does: |x - y|, and the mean rounded up.
; RUN-PASS: prepare-nests --march=x86-64-v3
; CHECK-DAG: umax.i16
; CHECK-DAG: umin.i16
; CHECK-DAG: xor i16
; CHECK-DAG: or i16
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
  %d = sub nsw i32 %vx, %vy
  %a = call i32 @llvm.abs.i32(i32 %d, i1 false)
  %t = add nsw i32 %vx, %vy
  %t1 = add nsw i32 %t, 1
  %m = lshr i32 %t1, 1
  %both = xor i32 %a, %m
  %r = trunc i32 %both to i16
  store i16 %r, ptr %po, align 2
  br label %latch
latch:
  %next = add nsw i64 %i, 1
  br label %head, !kdsl.items !0
done:
  ret void
}
!0 = !{}
declare i32 @llvm.abs.i32(i32, i1)
