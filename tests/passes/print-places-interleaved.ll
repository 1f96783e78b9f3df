; The places of two fields of an item are a constant apart, however they are computed.
; RUN-PASS: print-places --march=x86-64-v3
; CHECK: load float, ptr %p, align 4, !kdsl.place ![[P0:[0-9]+]]
; CHECK: load float, ptr %p1, align 4, !kdsl.place ![[P1:[0-9]+]]
; CHECK: load float, ptr %p2, align 4, !kdsl.place ![[P2:[0-9]+]]
; CHECK-DAG: ![[P0]] = !{!"%x + 12 * %i: stride 12"}
; CHECK-DAG: ![[P1]] = !{!"%x + 12 * %i + 4: stride 12"}
; CHECK-DAG: ![[P2]] = !{!"%x + 12 * %i + 8: stride 12"}
define void @f(ptr noalias %x, ptr noalias %y, i64 %n, i32 %k, i64 %m) {
entry:
  br label %head
head:
  %i = phi i64 [ 0, %entry ], [ %next, %latch ]
  %more = icmp slt i64 %i, %n
  br i1 %more, label %body, label %done
body:
  %at = mul nsw i64 %i, 3
  %p = getelementptr float, ptr %x, i64 %at
  %a = load float, ptr %p, align 4
  %p1 = getelementptr i8, ptr %p, i64 4
  %b = load float, ptr %p1, align 4
  %at2 = add nsw i64 %at, 2
  %p2 = getelementptr float, ptr %x, i64 %at2
  %c = load float, ptr %p2, align 4
  br label %latch
latch:
  %next = add nsw i64 %i, 1
  br label %head, !kdsl.items !0
done:
  ret void
}
!0 = !{}
