; The element is written on one of the paths only: the other may not have it, and it is not read before they part.
; RUN-PASS: prepare-nests --march=x86-64-v3
; CHECK: body:
; CHECK: load i32
; CHECK: then:
; CHECK: load i32
; CHECK: store i32
define void @f(ptr noalias %x, ptr noalias %y, ptr noalias %o, i64 %n) {
entry:
  br label %head
head:
  %i = phi i64 [ 0, %entry ], [ %next, %latch ]
  %more = icmp slt i64 %i, %n
  br i1 %more, label %body, label %done
body:
  %pc = getelementptr i32, ptr %y, i64 %i
  %c = load i32, ptr %pc, align 4
  %some = icmp slt i32 %c, 5
  br i1 %some, label %then, label %latch
then:
  %po = getelementptr i32, ptr %o, i64 %i
  %v = load i32, ptr %po, align 4
  %w = add i32 %v, 1
  store i32 %w, ptr %po, align 4
  br label %latch
latch:
  %next = add nsw i64 %i, 1
  br label %head, !kdsl.items !0
done:
  ret void
}
!0 = !{}
