; Both branches store to one address, computed in each: one store of a phi.
; RUN-PASS: prepare-nests --march=x86-64-v3
; CHECK: select i1 %c, i32 1, i32 2
; CHECK: store i32
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
  br i1 %c, label %then, label %else
then:
  %p1 = getelementptr i32, ptr %o, i64 %i
  store i32 1, ptr %p1, align 4
  br label %end
else:
  %p2 = getelementptr i32, ptr %o, i64 %i
  store i32 2, ptr %p2, align 4
  br label %end
end:
  br label %latch
latch:
  %next = add nsw i64 %i, 1
  br label %head, !kdsl.items !0
done:
  ret void
}
!0 = !{}
