; The phi is of a loop within the item: a pointer that goes on, and no two paths.
; RUN-PASS: prepare-nests --march=x86-64-v3
; CHECK: phi ptr
; CHECK: load i32
; CHECK-NOT: load i32
define void @f(ptr noalias %x, ptr noalias %y, ptr noalias %o, i64 %n) {
entry:
  br label %head
head:
  %i = phi i64 [ 0, %entry ], [ %next, %latch ]
  %more = icmp slt i64 %i, %n
  br i1 %more, label %body, label %done
body:
  %first = getelementptr i32, ptr %x, i64 %i
  br label %loop
loop:
  %at = phi ptr [ %first, %body ], [ %on, %loop ]
  %v = load i32, ptr %at, align 4
  %on = getelementptr i32, ptr %at, i64 %n
  %again = icmp ne i32 %v, 0
  br i1 %again, label %loop, label %end
end:
  %to = getelementptr i32, ptr %o, i64 %i
  store i32 %v, ptr %to, align 4
  br label %latch
latch:
  %next = add nsw i64 %i, 1
  br label %head, !kdsl.items !0
done:
  ret void
}
!0 = !{}
