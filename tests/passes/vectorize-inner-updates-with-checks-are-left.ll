; With a check that fails in an iteration known before the loop, and a quotient that is the same in all of them.
; RUN-PASS: vectorize --march=x86-64-v3 --vector=always
; CHECK-LABEL: define void @f(
; CHECK-NOT: <{{[0-9]+}} x
; CHECK: br label %head, !kdsl.items
; CHECK-NOT: <{{[0-9]+}} x
define void @f(ptr noalias %s, ptr noalias %x, i64 %n, i64 %m, i64 %l) {
entry:
  br label %head
head:
  %i = phi i64 [ 0, %entry ], [ %next, %latch ]
  %more = icmp slt i64 %i, %n
  br i1 %more, label %body, label %done
body:
  %p = getelementptr i32, ptr %x, i64 %i
  %v = load i32, ptr %p, align 4
  br label %loop
loop:
  %k = phi i64 [ 0, %body ], [ %k1, %ok ]
  %go = icmp slt i64 %k, %m
  br i1 %go, label %inside, label %latch
inside:
  %v64 = sext i32 %v to i64
  %rest = srem i64 %v64, %m
  %at = add nsw i64 %rest, %k
  %inside.s = icmp ult i64 %at, %l
  br i1 %inside.s, label %ok, label %fail
ok:
  %r = getelementptr i32, ptr %s, i64 %at
  %a = call i32 @kdsl.update.add.i32.alone(ptr %r, i32 1)
  %k1 = add nsw i64 %k, 1
  br label %loop
latch:
  %next = add nsw i64 %i, 1
  br label %head, !kdsl.items !0
fail:
  call void @report(i64 %at)
  ret void
done:
  ret void
}
declare void @report(i64)
declare i32 @kdsl.update.add.i32.alone(ptr, i32)
!0 = !{}
