; A division by a constant other than 0 and -1 cannot trap: it is the same in all lanes.
; RUN-PASS: vectorize --march=x86-64-v3
; CHECK: vectors:
; CHECK: [[V:%.*]] = load <8 x i32>
; CHECK-NOT: select
; CHECK: udiv <8 x i32> [[V]], splat (i32 10)
define void @f(ptr noalias %x, ptr noalias %y, i64 %n) {
entry:
  br label %head
head:
  %i = phi i64 [ 0, %entry ], [ %next, %latch ]
  %more = icmp slt i64 %i, %n
  br i1 %more, label %body, label %done
body:
  %p = getelementptr i32, ptr %x, i64 %i
  %v = load i32, ptr %p, align 4
  %d = udiv i32 %v, 10
  %q = getelementptr i32, ptr %y, i64 %i
  store i32 %d, ptr %q, align 4
  br label %latch
latch:
  %next = add nsw i64 %i, 1
  br label %head, !kdsl.items !0
done:
  ret void
}
!0 = !{}
