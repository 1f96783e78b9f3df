; The element that is written where the paths meet is loaded before they part; the other array's is not.
; RUN-PASS: prepare-nests --march=x86-64-v3
; CHECK: body:
; CHECK: load i8
; CHECK: load i8
; CHECK: then:
; CHECK: load i8
; CHECK: else:
; CHECK-NOT: load
; CHECK: phi i8
define void @f(ptr noalias %x, ptr noalias %y, ptr noalias %o, i64 %n) {
entry:
  br label %head
head:
  %i = phi i64 [ 0, %entry ], [ %next, %latch ]
  %more = icmp slt i64 %i, %n
  br i1 %more, label %body, label %done
body:
  %pc = getelementptr i8, ptr %y, i64 %i
  %c = load i8, ptr %pc, align 1
  %some = icmp slt i8 %c, 5
  br i1 %some, label %then, label %else
then:
  %px = getelementptr i8, ptr %x, i64 %i
  %a = load i8, ptr %px, align 1
  br label %end
else:
  %po = getelementptr i8, ptr %o, i64 %i
  %b = load i8, ptr %po, align 1
  br label %end
end:
  %v = phi i8 [ %a, %then ], [ %b, %else ]
  %to = getelementptr i8, ptr %o, i64 %i
  store i8 %v, ptr %to, align 1
  br label %latch
latch:
  %next = add nsw i64 %i, 1
  br label %head, !kdsl.items !0
done:
  ret void
}
!0 = !{}
