; Eight parts of bytes: even and odd places are taken apart three times, 8 permutations each time (of 4 vectors of items),
; not each part put together from all vectors.
; RUN-PASS: vectorize --march=x86-64-v3
; CHECK-LABEL: define void @f(
; CHECK-COUNT-96: = shufflevector <32 x i8>
; CHECK-NOT: shufflevector
define void @f(ptr noalias %x, ptr noalias %y) {
entry:
  br label %head
head:
  %i = phi i64 [ 0, %entry ], [ %next, %latch ]
  %more = icmp slt i64 %i, 4096
  br i1 %more, label %body, label %done
body:
  %at = shl nsw i64 %i, 3
  %p0 = getelementptr i8, ptr %x, i64 %at
  %p1 = getelementptr i8, ptr %p0, i64 1
  %p2 = getelementptr i8, ptr %p0, i64 2
  %p3 = getelementptr i8, ptr %p0, i64 3
  %p4 = getelementptr i8, ptr %p0, i64 4
  %p5 = getelementptr i8, ptr %p0, i64 5
  %p6 = getelementptr i8, ptr %p0, i64 6
  %p7 = getelementptr i8, ptr %p0, i64 7
  %v0 = load i8, ptr %p0, align 1
  %v1 = load i8, ptr %p1, align 1
  %v2 = load i8, ptr %p2, align 1
  %v3 = load i8, ptr %p3, align 1
  %v4 = load i8, ptr %p4, align 1
  %v5 = load i8, ptr %p5, align 1
  %v6 = load i8, ptr %p6, align 1
  %v7 = load i8, ptr %p7, align 1
  %s0 = add i8 %v0, %v1
  %s1 = xor i8 %s0, %v2
  %s2 = add i8 %s1, %v3
  %s3 = xor i8 %s2, %v4
  %s4 = add i8 %s3, %v5
  %s5 = xor i8 %s4, %v6
  %s6 = add i8 %s5, %v7
  %q = getelementptr i8, ptr %y, i64 %i
  store i8 %s6, ptr %q, align 1
  br label %latch
latch:
  %next = add nuw nsw i64 %i, 1
  br label %head, !kdsl.items !0
done:
  ret void
}
!0 = !{}
