; What an item finds in memory that it has not written has no value: it is not what the item before left there.
; RUN-PASS: prepare-nests --march=x86-64-v3
; CHECK: head:
; CHECK-NEXT: %i = phi i64
; CHECK-NOT: phi
define void @f(ptr noalias %x, i64 %n) {
entry:
  %s = alloca i32, align 4
  br label %head
head:
  %i = phi i64 [ 0, %entry ], [ %next, %latch ]
  %more = icmp slt i64 %i, %n
  br i1 %more, label %body, label %done
body:
  %px = getelementptr i32, ptr %x, i64 %i
  %v = load i32, ptr %px, align 4
  %k = and i32 %v, 1
  %j = zext i32 %k to i64
  %old = load i32, ptr %s, align 4
  store i32 %v, ptr %s, align 4
  %r = and i32 %old, %v
  store i32 %r, ptr %px, align 4
  br label %latch
latch:
  %next = add nsw i64 %i, 1
  br label %head, !kdsl.items !0
done:
  ret void
}
!0 = !{}
