; An array that is also read is written through the caches, without a fence.
; RUN-PASS: vectorize --march=x86-64-v3
; CHECK-LABEL: define void @f(
; CHECK-NOT: !nontemporal
; CHECK-NOT: sfence
; CHECK: ret void
define void @f(ptr noalias %x, i64 %n, i64 %bytes) {
entry:
  call void @kdsl.extent(ptr %x, i64 %bytes)
  br label %head
head:
  %i = phi i64 [ 0, %entry ], [ %next, %latch ]
  %more = icmp slt i64 %i, %n
  br i1 %more, label %body, label %done
body:
  %p = getelementptr float, ptr %x, i64 %i
  %v = load float, ptr %p, align 4
  %s = fmul float %v, %v
  store float %s, ptr %p, align 4
  br label %latch
latch:
  %next = add nsw i64 %i, 1
  br label %head, !kdsl.items !0
done:
  ret void
}
declare void @kdsl.extent(ptr, i64)
!0 = !{}
