; What is added and taken away again is not in the form: the place is the same for all items.
; RUN-PASS: print-places --march=x86-64-v3
; CHECK: load float, ptr %p, align 4, !kdsl.place ![[P0:[0-9]+]]
; CHECK-DAG: ![[P0]] = !{!"%x + 4 * %m: uniform"}
define void @f(ptr noalias %x, ptr noalias %y, i64 %n, i32 %k, i64 %m) {
entry:
  br label %head
head:
  %i = phi i64 [ 0, %entry ], [ %next, %latch ]
  %more = icmp slt i64 %i, %n
  br i1 %more, label %body, label %done
body:
  %to = add i64 %i, %m
  %at = sub i64 %to, %i
  %p = getelementptr float, ptr %x, i64 %at
  %a = load float, ptr %p, align 4
  br label %latch
latch:
  %next = add nsw i64 %i, 1
  br label %head, !kdsl.items !0
done:
  ret void
}
!0 = !{}
