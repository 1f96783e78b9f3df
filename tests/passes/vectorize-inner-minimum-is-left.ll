; The least element of each row, by an intrinsic.
; RUN-PASS: vectorize --march=x86-64-v3
; CHECK-LABEL: define void @f(
; CHECK-NOT: <{{[0-9]+}} x
; CHECK: br label %head, !kdsl.items
; CHECK-NOT: <{{[0-9]+}} x
define void @f(ptr noalias %x, ptr noalias %y, i64 %n, i64 %m) {
entry:
  br label %head
head:
  %i = phi i64 [ 0, %entry ], [ %next, %latch ]
  %more = icmp slt i64 %i, %n
  br i1 %more, label %body, label %done
body:
  %row = mul nsw i64 %i, %m
  %p = getelementptr i16, ptr %x, i64 %row
  br label %loop
loop:
  %k = phi i64 [ 0, %body ], [ %k1, %inside ]
  %s = phi i16 [ 32767, %body ], [ %s1, %inside ]
  %go = icmp slt i64 %k, %m
  br i1 %go, label %inside, label %out
inside:
  %r = getelementptr i16, ptr %p, i64 %k
  %v = load i16, ptr %r, align 2
  %s1 = call i16 @llvm.smin.i16(i16 %s, i16 %v)
  %k1 = add nsw i64 %k, 1
  br label %loop
out:
  %q = getelementptr i16, ptr %y, i64 %i
  store i16 %s, ptr %q, align 2
  br label %latch
latch:
  %next = add nsw i64 %i, 1
  br label %head, !kdsl.items !0
done:
  ret void
}
!0 = !{}
declare i16 @llvm.smin.i16(i16, i16)
