; Shifts, disjoint bits, inverted bits and fields of structures are sums and products, too.
; RUN-PASS: print-places --march=x86-64-v3
; CHECK: load float, ptr %p, align 4, !kdsl.place ![[P0:[0-9]+]]
; CHECK: load float, ptr %q, align 4, !kdsl.place ![[P1:[0-9]+]]
; CHECK: load float, ptr %r, align 4, !kdsl.place ![[P2:[0-9]+]]
; CHECK-DAG: ![[P0]] = !{!"%x + 8 * %i + 4: stride 8"}
; CHECK-DAG: ![[P1]] = !{!"%x + -4 * %i + 4 * %n + -4: stride -4"}
; CHECK-DAG: ![[P2]] = !{!"20 * %i + %y + 12: stride 20"}
define void @f(ptr noalias %x, ptr noalias %y, i64 %n, i32 %k, i64 %m) {
entry:
  br label %head
head:
  %i = phi i64 [ 0, %entry ], [ %next, %latch ]
  %more = icmp slt i64 %i, %n
  br i1 %more, label %body, label %done
body:
  %i2 = shl i64 %i, 1
  %odd = or disjoint i64 %i2, 1
  %p = getelementptr float, ptr %x, i64 %odd
  %a = load float, ptr %p, align 4
  %back = xor i64 %i, -1
  %end = add i64 %back, %n
  %q = getelementptr float, ptr %x, i64 %end
  %b = load float, ptr %q, align 4
  %r = getelementptr { i32, [4 x float] }, ptr %y, i64 %i, i32 1, i64 2
  %c = load float, ptr %r, align 4
  br label %latch
latch:
  %next = add nsw i64 %i, 1
  br label %head, !kdsl.items !0
done:
  ret void
}
!0 = !{}
