; The second store is in a loop, where the first would be executed in each round.
; RUN-PASS: collect-stores
; CHECK: body:
; CHECK: store i32 %v, ptr %p0
; CHECK: loop:
; CHECK: store i32 %k, ptr %p1
define void @f(ptr noalias %x, ptr noalias %o, i64 %n) "kdsl-nests" {
entry:
  br label %head
head:
  %i = phi i64 [ 0, %entry ], [ %next, %latch ]
  %more = icmp slt i64 %i, %n
  br i1 %more, label %body, label %done
body:
  %px = getelementptr i32, ptr %x, i64 %i
  %v = load i32, ptr %px, align 4
  %j = mul i64 %i, 2
  %p0 = getelementptr i32, ptr %o, i64 %j
  %p1 = getelementptr i32, ptr %p0, i64 1
  store i32 %v, ptr %p0, align 4
  br label %loop
loop:
  %k = phi i32 [ 0, %body ], [ %on, %loop ]
  store i32 %k, ptr %p1, align 4
  %on = add i32 %k, 1
  %again = icmp slt i32 %on, %v
  br i1 %again, label %loop, label %end
end:
  br label %latch
latch:
  %next = add nsw i64 %i, 1
  br label %head, !kdsl.items !0
done:
  ret void
}
!0 = !{}
