; A product of two values, and a number that is loaded, are atoms.
; RUN-PASS: print-places --march=x86-64-v3
; CHECK: load i64, ptr %p, align 8, !kdsl.place ![[P0:[0-9]+]]
; CHECK: load float, ptr %q, align 4, !kdsl.place ![[P1:[0-9]+]]
; CHECK-DAG: ![[P0]] = !{!"%x + 8 * %at: varying"}
; CHECK-DAG: ![[P1]] = !{!"%y + 4 * %a + 12: varying"}
define void @f(ptr noalias %x, ptr noalias %y, i64 %n, i32 %k, i64 %m) {
entry:
  br label %head
head:
  %i = phi i64 [ 0, %entry ], [ %next, %latch ]
  %more = icmp slt i64 %i, %n
  br i1 %more, label %body, label %done
body:
  %at = mul nsw i64 %i, %m
  %p = getelementptr i64, ptr %x, i64 %at
  %a = load i64, ptr %p, align 8
  %to = add i64 %a, 3
  %q = getelementptr float, ptr %y, i64 %to
  %b = load float, ptr %q, align 4
  br label %latch
latch:
  %next = add nsw i64 %i, 1
  br label %head, !kdsl.items !0
done:
  ret void
}
!0 = !{}
