; A loop whose items do nothing, but for a remark to the prefetcher, leaves no call of that behind.
; RUN-PASS: vectorize --march=x86-64-v3
; CHECK-LABEL: define void @f(
; CHECK-NOT: call void @kdsl.ahead
; CHECK: ret void
; CHECK-NOT: @kdsl.ahead
define void @f(ptr noalias %x, i64 %n) {
entry:
  br label %head
head:
  %i = phi i64 [ 0, %entry ], [ %next, %latch ]
  %more = icmp slt i64 %i, %n
  br i1 %more, label %body, label %done
body:
  call void @kdsl.ahead(ptr %x, i32 0)
  br label %latch
latch:
  %next = add nsw i64 %i, 1
  br label %head, !kdsl.items !0
done:
  ret void
}
declare void @kdsl.ahead(ptr, i32)
!0 = !{}
