; A store comes between: what the paths would read may be another value.
; RUN-PASS: prepare-nests --march=x86-64-v3
; CHECK: phi ptr
; CHECK: store i32 7
; CHECK: load i32
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
  br i1 %some, label %then, label %else
then:
  br label %end
else:
  br label %end
end:
  %from = phi ptr [ %x, %then ], [ %y, %else ]
  %at = getelementptr i32, ptr %from, i64 %i
  store i32 7, ptr %x, align 4
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
