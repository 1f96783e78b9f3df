; A search that ends early for most items goes on until the last lane has found: trial division stays scalar.
; RUN-PASS: vectorize --march=x86-64-v3
; RUN-PASS: vectorize --march=x86-64-v4
; CHECK: define void @f(
; CHECK-NOT: <{{.*}} x i32>
; CHECK: ret void
define void @f(ptr noalias %x, ptr noalias %y, i64 %n) {
entry:
  br label %head
head:
  %i = phi i64 [ 0, %entry ], [ %next, %latch ]
  %more = icmp slt i64 %i, %n
  br i1 %more, label %body, label %done
body:
  %p = getelementptr i32, ptr %x, i64 %i
  %v = load i32, ptr %p, align 4
  br label %divide
divide:
  %d = phi i32 [ 2, %body ], [ %d1, %on ]
  %dd = mul nsw i32 %d, %d
  %far = icmp sgt i32 %dd, %v
  br i1 %far, label %found, label %try
try:
  %r = srem i32 %v, %d
  %divides = icmp eq i32 %r, 0
  br i1 %divides, label %found, label %on
on:
  %d1 = add nuw nsw i32 %d, 1
  br label %divide
found:
  %by = phi i32 [ 0, %divide ], [ %d, %try ]
  %q = getelementptr i32, ptr %y, i64 %i
  store i32 %by, ptr %q, align 4
  br label %latch
latch:
  %next = add nsw i64 %i, 1
  br label %head, !kdsl.items !0
done:
  ret void
}
!0 = !{}
