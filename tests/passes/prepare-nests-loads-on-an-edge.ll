; One of the paths is the edge of a branch: the load has a block there.
; RUN-PASS: prepare-nests --march=x86-64-v3
; CHECK: edge:
; CHECK: load i32
; CHECK: phi i32
; CHECK-NOT: phi ptr
define void @f(ptr noalias %x, ptr noalias %y, ptr noalias %o, i64 %n) {
entry:
  br label %head
head:
  %i = phi i64 [ 0, %entry ], [ %next, %latch ]
  %more = icmp slt i64 %i, %n
  br i1 %more, label %body, label %done
body:
  %pc = getelementptr i32, ptr %o, i64 %i
  %c = load i32, ptr %pc, align 4
  %some = icmp slt i32 %c, 5
  br i1 %some, label %then, label %end
then:
  store i32 0, ptr %pc, align 4
  br label %end
end:
  %from = phi ptr [ %x, %then ], [ %y, %body ]
  %at = getelementptr i32, ptr %from, i64 %i
  %v = load i32, ptr %at, align 4
  store i32 %v, ptr %pc, align 4
  br label %latch
latch:
  %next = add nsw i64 %i, 1
  br label %head, !kdsl.items !0
done:
  ret void
}
!0 = !{}
