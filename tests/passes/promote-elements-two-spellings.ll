; An element whose address is computed in two ways is one: with an index of 32 bits that does not wrap, and in bytes.
; RUN-PASS: promote-elements --march=x86-64-v3
; CHECK: [[P:%.*]] = getelementptr i8, ptr {{%.*}}, i64 4
; CHECK: body:
; CHECK-NOT: store
; CHECK: demoted:
; CHECK: store i32 {{%.*}}, ptr [[P]]
; CHECK: promote:
; CHECK: load i32, ptr [[P]]
define void @f(ptr noalias %c, ptr noalias %a, i64 %n, i64 %m) {
entry:
  br label %head
head:
  %i = phi i64 [ 0, %entry ], [ %next, %latch ]
  %more = icmp slt i64 %i, %n
  br i1 %more, label %item, label %done
item:
  %j = trunc nsw i64 %i to i32
  %j1 = add nsw i32 %j, 1
  %at = sext i32 %j1 to i64
  %p = getelementptr i32, ptr %c, i64 %at
  br label %loop
loop:
  %k = phi i64 [ 0, %item ], [ %k1, %body ]
  %again = icmp slt i64 %k, %m
  br i1 %again, label %body, label %after
body:
  %q = getelementptr i32, ptr %a, i64 %k
  %v = load i32, ptr %q, align 4
  %old = load i32, ptr %p, align 4
  %new = add i32 %old, %v
  %bytes = shl i64 %i, 2
  %r = getelementptr i8, ptr %c, i64 %bytes
  %s = getelementptr i8, ptr %r, i64 4
  store i32 %new, ptr %s, align 4
  %k1 = add nsw i64 %k, 1
  br label %loop
after:
  br label %latch
latch:
  %next = add nsw i64 %i, 1
  br label %head, !kdsl.items !0
done:
  ret void
}
!0 = !{}
