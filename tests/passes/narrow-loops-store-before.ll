; An item that fails the comparison has stored before it.
; RUN-PASS: narrow-loops --march=x86-64-v3
; CHECK: %more = icmp slt i64 %i, %hi
; CHECK: br i1 %c1, label %then, label %latch
define void @f(ptr noalias %c, ptr noalias %a, i64 %lo, i64 %hi, i64 %n) {
entry:
  br label %head
head:
  %i = phi i64 [ %lo, %entry ], [ %next, %latch ]
  %more = icmp slt i64 %i, %hi
  br i1 %more, label %item, label %done
item:
  %q = getelementptr i32, ptr %a, i64 %i
  store i32 2, ptr %q, align 4
  br label %on
on:
  %c1 = icmp slt i64 %i, %n
  br i1 %c1, label %then, label %latch
then:
  %p = getelementptr i32, ptr %c, i64 %i
  store i32 1, ptr %p, align 4
  br label %latch
latch:
  %next = add nuw nsw i64 %i, 1
  br label %head, !kdsl.items !0
done:
  ret void
}
!0 = !{}
