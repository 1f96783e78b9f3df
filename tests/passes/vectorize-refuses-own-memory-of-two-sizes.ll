; An item's own memory that is read in pieces of two sizes has no order of lanes: the loop is left as it was.
; RUN-PASS: vectorize --march=x86-64-v3
; CHECK-LABEL: define void @f(
; CHECK-NOT: <{{[0-9]+}} x
; CHECK: br label %head, !kdsl.items
; CHECK-NOT: <{{[0-9]+}} x
define void @f(ptr noalias %x, i64 %n) {
entry:
  %own = alloca i32, align 4
  br label %head
head:
  %i = phi i64 [ 0, %entry ], [ %next, %latch ]
  %more = icmp slt i64 %i, %n
  br i1 %more, label %body, label %done
body:
  %p = getelementptr i32, ptr %x, i64 %i
  %v = load i32, ptr %p, align 4
  store i32 %v, ptr %own, align 4
  %k = and i32 %v, 3
  %r = getelementptr i8, ptr %own, i32 %k
  %t = load i8, ptr %r, align 1
  store i8 %t, ptr %p, align 1
  br label %latch
latch:
  %next = add nsw i64 %i, 1
  br label %head, !kdsl.items !0
done:
  ret void
}
!0 = !{}
