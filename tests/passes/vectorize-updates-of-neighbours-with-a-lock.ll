; Elements that other threads reach are updated one by one, under their locks.
; RUN-PASS: vectorize --march=x86-64-v3 --vector=always
; CHECK-LABEL: define void @f(
; CHECK-NOT: add <8 x i32>
; CHECK: call i32 @kdsl.update.add.i32(
; CHECK-NOT: add <8 x i32>
; CHECK: {{^}}}
define void @f(ptr noalias %s, ptr noalias %x, i64 %n) {
entry:
  br label %head
head:
  %i = phi i64 [ 0, %entry ], [ %next, %latch ]
  %more = icmp slt i64 %i, %n
  br i1 %more, label %body, label %done
body:
  %p = getelementptr i32, ptr %x, i64 %i
  %v = load i32, ptr %p, align 4
  %q = getelementptr i32, ptr %s, i64 %i
  %a = call i32 @kdsl.update.add.i32(ptr %q, i32 %v)
  br label %latch
latch:
  %next = add nsw i64 %i, 1
  br label %head, !kdsl.items !0
done:
  ret void
}
declare i32 @kdsl.update.add.i32(ptr, i32)
!0 = !{}
