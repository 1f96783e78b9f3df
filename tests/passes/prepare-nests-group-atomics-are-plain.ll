; An atomic update in a function that has been inlined is an ordinary update where the function was passed memory that a
; group has for itself, and stays atomic in memory that other threads have, too.
; RUN-PASS: prepare-nests --march=x86-64-v3
declare ptr @kdsl.group.memory(ptr)
declare i32 @kdsl.update.add.i32(ptr, i32)
declare i32 @kdsl.update.add.i32.alone(ptr, i32)
define internal void @count(ptr %bins, i64 %at) alwaysinline {
  %p = getelementptr i32, ptr %bins, i64 %at
  %old = call i32 @kdsl.update.add.i32(ptr %p, i32 1)
  ret void
}
define void @f(ptr %all, i64 %n) {
; CHECK-LABEL: define void @f(
; CHECK: call i32 @kdsl.update.add.i32.alone(
; CHECK-NEXT: getelementptr
; CHECK-NEXT: call i32 @kdsl.update.add.i32(
entry:
  %memory = alloca [64 x i32], align 64
  %mine = call ptr @kdsl.group.memory(ptr %memory)
  br label %head
head:
  %i = phi i64 [ 0, %entry ], [ %next, %latch ]
  %more = icmp slt i64 %i, %n
  br i1 %more, label %body, label %done
body:
  call void @count(ptr %mine, i64 %i)
  call void @count(ptr %all, i64 %i)
  br label %latch
latch:
  %next = add nsw i64 %i, 1
  br label %head, !kdsl.items !0
done:
  ret void
}
!0 = !{}
