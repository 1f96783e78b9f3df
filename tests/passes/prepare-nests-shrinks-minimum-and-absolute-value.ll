; Intrinsics and selections likewise; a comparison ends an expression, too.
; RUN-PASS: prepare-nests --march=x86-64-v3
; CHECK: sub nsw i16
; CHECK: call i16 @llvm.abs.i16
; CHECK: icmp {{.*}} i16
; CHECK: call i16 @llvm.umin.i16
; CHECK-NOT: i32 %
define void @f(ptr noalias %x, ptr noalias %y, ptr noalias %o, i64 %n) {
entry:
  br label %head
head:
  %i = phi i64 [ 0, %entry ], [ %next, %latch ]
  %more = icmp slt i64 %i, %n
  br i1 %more, label %body, label %done
body:
  %px = getelementptr i8, ptr %x, i64 %i
  %py = getelementptr i8, ptr %y, i64 %i
  %bx = load i8, ptr %px, align 1
  %by = load i8, ptr %py, align 1
  %vx = zext i8 %bx to i32
  %vy = zext i8 %by to i32
  %d = sub nsw i32 %vx, %vy
  %a = call i32 @llvm.abs.i32(i32 %d, i1 false)
  %c = icmp sgt i32 %a, 100
  %m = call i32 @llvm.umin.i32(i32 %a, i32 77)
  %q = select i1 %c, i32 %m, i32 %vx
  %h = lshr i32 %q, 2
  %r = trunc i32 %h to i8
  %po = getelementptr i8, ptr %o, i64 %i
  store i8 %r, ptr %po, align 1
  br label %latch
latch:
  %next = add nsw i64 %i, 1
  br label %head, !kdsl.items !0
done:
  ret void
}
declare i32 @llvm.abs.i32(i32, i1)
declare i32 @llvm.umin.i32(i32, i32)
!0 = !{}
