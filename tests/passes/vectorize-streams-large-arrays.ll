; An array that is only written, and larger than the last cache, is written past it, with a fence before the return.
; RUN-PASS: vectorize --march=x86-64-v3
; CHECK: call i32 @kdsl_exceeds_cache(i64 %bytes)
; CHECK: done:
; CHECK-NEXT: call void @llvm.x86.sse.sfence()
; CHECK-NEXT: ret void
; CHECK: store <8 x float> {{.*}}, align 32, !nontemporal
; CHECK-NOT: @kdsl.extent
define void @f(ptr noalias %x, ptr noalias %y, i64 %n, i64 %bytes) {
entry:
  call void @kdsl.extent(ptr %y, i64 %bytes)
  br label %head
head:
  %i = phi i64 [ 0, %entry ], [ %next, %latch ]
  %more = icmp slt i64 %i, %n
  br i1 %more, label %body, label %done
body:
  %p = getelementptr float, ptr %x, i64 %i
  %v = load float, ptr %p, align 4
  %s = fmul float %v, %v
  %q = getelementptr float, ptr %y, i64 %i
  store float %s, ptr %q, align 4
  br label %latch
latch:
  %next = add nsw i64 %i, 1
  br label %head, !kdsl.items !0
done:
  ret void
}
declare void @kdsl.extent(ptr, i64)
!0 = !{}
