; In a nest of two loops the form has the counters of both; an item's own loop has its own.
; RUN-PASS: print-places --march=x86-64-v3
; CHECK: load float, ptr %p, align 4, !kdsl.place ![[P0:[0-9]+]]
; CHECK: load float, ptr %q, align 4, !kdsl.place ![[P1:[0-9]+]]
; CHECK-DAG: ![[P0]] = !{!"{{.*}}400 * %j{{.*}}: contiguous, differs between rows"}
; CHECK-DAG: ![[P1]] = !{!"8 * %k + %y: uniform"}
define void @f(ptr noalias %x, ptr noalias %y, i64 %n, i64 %m) {
entry:
  br label %rows
rows:
  %j = phi i64 [ 0, %entry ], [ %nextrow, %rowlatch ]
  %morerows = icmp slt i64 %j, %m
  br i1 %morerows, label %enter, label %done
enter:
  br label %head
head:
  %i = phi i64 [ 0, %enter ], [ %next, %latch ]
  %more = icmp slt i64 %i, %n
  br i1 %more, label %body, label %rowlatch
body:
  %row = mul nsw i64 %j, 100
  %at = add nsw i64 %row, %i
  %p = getelementptr float, ptr %x, i64 %at
  %a = load float, ptr %p, align 4
  br label %inner
inner:
  %k = phi i64 [ 0, %body ], [ %k1, %add ]
  %again = icmp slt i64 %k, %n
  br i1 %again, label %add, label %latch
add:
  %k2 = mul i64 %k, 2
  %q = getelementptr float, ptr %y, i64 %k2
  %b = load float, ptr %q, align 4
  %k1 = add nsw i64 %k, 1
  br label %inner
latch:
  %next = add nsw i64 %i, 1
  br label %head, !kdsl.items !0
rowlatch:
  %nextrow = add nsw i64 %j, 1
  br label %rows, !kdsl.rows !0
done:
  ret void
}
!0 = !{}
