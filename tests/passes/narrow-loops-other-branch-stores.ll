; Both branches do something: the loop keeps its bounds.
; RUN-PASS: narrow-loops --march=x86-64-v3
; CHECK: %more = icmp slt i64 %i, %hi
; CHECK: br i1 %c1, label %then, label %else
define void @f(ptr noalias %c, ptr noalias %a, i64 %lo, i64 %hi, i64 %n) {
entry:
  br label %head
head:
  %i = phi i64 [ %lo, %entry ], [ %next, %latch ]
  %more = icmp slt i64 %i, %hi
  br i1 %more, label %item, label %done
item:
  %c1 = icmp slt i64 %i, %n
  br i1 %c1, label %then, label %else
else:
  %q = getelementptr i32, ptr %c, i64 %i
  store i32 2, ptr %q, align 4
  br label %latch
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
