; An index of 32 bits that does not wrap (nsw) is looked into through its extension, one that may is not.
; RUN-PASS: print-places --march=x86-64-v3
; CHECK: load float, ptr %p, align 4, !kdsl.place ![[P0:[0-9]+]]
; CHECK: load float, ptr %q, align 4, !kdsl.place ![[P1:[0-9]+]]
; CHECK-DAG: ![[P0]] = !{!"%x + 4 * %i + 4 * %k: contiguous"}
; CHECK-DAG: ![[P1]] = !{!"%y + 4 * %w1: varying"}
define void @f(ptr noalias %x, ptr noalias %y, i64 %n, i32 %k, i64 %m) {
entry:
  br label %head
head:
  %i = phi i64 [ 0, %entry ], [ %next, %latch ]
  %more = icmp slt i64 %i, %n
  br i1 %more, label %body, label %done
body:
  %j = trunc nsw i64 %i to i32
  %j1 = add nsw i32 %j, %k
  %j2 = sext i32 %j1 to i64
  %p = getelementptr float, ptr %x, i64 %j2
  %a = load float, ptr %p, align 4
  %w1 = add i32 %j, %k
  %w2 = sext i32 %w1 to i64
  %q = getelementptr float, ptr %y, i64 %w2
  %b = load float, ptr %q, align 4
  br label %latch
latch:
  %next = add nsw i64 %i, 1
  br label %head, !kdsl.items !0
done:
  ret void
}
!0 = !{}
