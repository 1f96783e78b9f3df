; Extended without a sign a value is read so, and a number that is not negative (nneg) is read with one.
; RUN-PASS: print-places --march=x86-64-v3
; CHECK: load float, ptr %p, align 4, !kdsl.place ![[P0:[0-9]+]]
; CHECK: load float, ptr %q, align 4, !kdsl.place ![[P1:[0-9]+]]
; CHECK: load float, ptr %r, align 4, !kdsl.place ![[P2:[0-9]+]]
; CHECK-DAG: ![[P0]] = !{!"{{.*}} + 4 * unsigned %k: {{.*}}"}
; CHECK-DAG: ![[P1]] = !{!"4 * %i + %y + 4 * %k: contiguous"}
; CHECK-DAG: ![[P2]] = !{!"%y + 4 * unsigned %s1: varying"}
define void @f(ptr noalias %x, ptr noalias %y, i64 %n, i32 %k, i64 %m) {
entry:
  br label %head
head:
  %i = phi i64 [ 0, %entry ], [ %next, %latch ]
  %more = icmp slt i64 %i, %n
  br i1 %more, label %body, label %done
body:
  %j = trunc nuw nsw i64 %i to i32
  %j1 = add nuw i32 %j, %k
  %j2 = zext i32 %j1 to i64
  %p = getelementptr float, ptr %x, i64 %j2
  %a = load float, ptr %p, align 4
  %l1 = add nsw i32 %j, %k
  %l2 = zext nneg i32 %l1 to i64
  %q = getelementptr float, ptr %y, i64 %l2
  %b = load float, ptr %q, align 4
  %s1 = add nsw i32 %j, %k
  %s2 = zext i32 %s1 to i64
  %r = getelementptr float, ptr %y, i64 %s2
  %c = load float, ptr %r, align 4
  br label %latch
latch:
  %next = add nsw i64 %i, 1
  br label %head, !kdsl.items !0
done:
  ret void
}
!0 = !{}
