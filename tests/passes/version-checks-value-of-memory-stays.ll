; An index from memory has no bounds that are known before the nest.
; RUN-PASS: version-checks --march=x86-64-v3
; CHECK-NOT: holds:
; CHECK: icmp ult i64 %at, %size
define void @f(ptr noalias %x, ptr noalias %y, i64 %size, i64 %n) {
entry:
  br label %head
head:
  %i = phi i64 [ 0, %entry ], [ %next, %latch ]
  %more = icmp slt i64 %i, %n
  br i1 %more, label %body, label %done
body:
  %r = getelementptr i64, ptr %y, i64 %i
  %at = load i64, ptr %r, align 8
  %ok = icmp ult i64 %at, %size
  br i1 %ok, label %inside, label %outside
inside:
  %p = getelementptr i64, ptr %x, i64 %at
  %v = load i64, ptr %p, align 8
  store i64 %v, ptr %r, align 8
  br label %latch
latch:
  %next = add nuw nsw i64 %i, 1
  br label %head, !kdsl.items !0
outside:
  ret void
done:
  ret void
}
!0 = !{}
