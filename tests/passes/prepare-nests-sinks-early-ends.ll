; Three paths to the end of the item, one of which stores nothing: the two others meet before.
; RUN-PASS: prepare-nests --march=x86-64-v3
; CHECK: more.work:
; CHECK: %0 = select i1 %d, i32 1, i32 %v
; CHECK: store i32 %0
; CHECK-NOT: store i32
define void @f(ptr noalias %x, ptr noalias %o, i64 %n) {
entry:
  br label %head
head:
  %i = phi i64 [ 0, %entry ], [ %next, %latch ]
  %more = icmp slt i64 %i, %n
  br i1 %more, label %body, label %done
body:
  %px = getelementptr i32, ptr %x, i64 %i
  %v = load i32, ptr %px, align 4
  %c = icmp slt i32 %v, 5
  br i1 %c, label %latch, label %more.work
more.work:
  %p = getelementptr i32, ptr %o, i64 %i
  %d = icmp slt i32 %v, 9
  br i1 %d, label %then, label %else
then:
  store i32 1, ptr %p, align 4
  br label %latch
else:
  store i32 %v, ptr %p, align 4
  br label %latch
latch:
  %next = add nsw i64 %i, 1
  br label %head, !kdsl.items !0
done:
  ret void
}
!0 = !{}
