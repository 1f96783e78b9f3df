; A copy of more than 128 elements is a loop over them.
; RUN-PASS: prepare-nests --march=x86-64-v3
; CHECK-NOT: memcpy
; CHECK: copy:
; CHECK: icmp slt i64 %[[K:[0-9]+]], 129
; CHECK: copy.element:
; CHECK: load i32, ptr
; CHECK-NOT: load
define void @f(ptr noalias %x, i64 %n) {
entry:
  %h = alloca [129 x i32], align 16
  %was = alloca [129 x i32], align 16
  br label %head
head:
  %i = phi i64 [ 0, %entry ], [ %next, %latch ]
  %more = icmp slt i64 %i, %n
  br i1 %more, label %body, label %done
body:
  %px = getelementptr i32, ptr %x, i64 %i
  %v = load i32, ptr %px, align 4
  %k = and i32 %v, 3
  %j = zext i32 %k to i64
  %ph = getelementptr inbounds i32, ptr %h, i64 %j
  store i32 %v, ptr %ph, align 4
  call void @llvm.memcpy.p0.p0.i64(ptr align 16 %was, ptr align 16 %h, i64 516, i1 false)
  store i32 7, ptr %ph, align 4
  %pw = getelementptr inbounds i32, ptr %was, i64 %j
  %w = load i32, ptr %pw, align 4
  %u = load i32, ptr %ph, align 4
  %r = add i32 %w, %u
  store i32 %r, ptr %px, align 4
  br label %latch
latch:
  %next = add nsw i64 %i, 1
  br label %head, !kdsl.items !0
done:
  ret void
}
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
!0 = !{}
