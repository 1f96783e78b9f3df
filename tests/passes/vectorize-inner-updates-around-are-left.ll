; A remainder goes as what is divided does, but where it begins anew.
; RUN-PASS: vectorize --march=x86-64-v3 --vector=always
; CHECK-LABEL: define void @f(
; CHECK-NOT: <{{[0-9]+}} x
; CHECK: br label %head, !kdsl.items
; CHECK-NOT: <{{[0-9]+}} x
define void @f(ptr noalias %s, ptr noalias %x, i64 %n, i64 %m) {
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
  %k = phi i64 [ 0, %body ], [ %k1, %inside ]
  %go = icmp slt i64 %k, 40
  br i1 %go, label %inside, label %latch
inside:
  %v64 = sext i32 %v to i64
  %k32 = trunc i64 %k to i32
  %sum = add i32 %v, %k32
  %rest = and i32 %sum, 255
  %at = zext nneg i32 %rest to i64
  %r = getelementptr i32, ptr %s, i64 %at
  %a = call i32 @kdsl.update.add.i32.alone(ptr %r, i32 1)
  %k1 = add nsw i64 %k, 1
  br label %loop
latch:
  %next = add nsw i64 %i, 1
  br label %head, !kdsl.items !0
done:
  ret void
}
declare i32 @kdsl.update.add.i32.alone(ptr, i32)
!0 = !{}
