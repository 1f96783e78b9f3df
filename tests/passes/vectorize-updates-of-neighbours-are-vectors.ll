; Updates of contiguous elements, without a lock, are vectors that are loaded, changed and stored.
; RUN-PASS: vectorize --march=x86-64-v3
; CHECK-LABEL: define void @f(
; CHECK: [[NEW:%[0-9]+]] = sub <8 x i32> %
; CHECK-NEXT: store <8 x i32> [[NEW]], ptr %{{[0-9]+}}, align 4
; CHECK-NOT: @kdsl.update
; CHECK: items.end
define void @f(ptr noalias %s, ptr noalias %x, i64 %n) {
entry:
  br label %head
head:
  %i = phi i64 [ 0, %entry ], [ %next, %latch ]
  %more = icmp slt i64 %i, %n
  br i1 %more, label %body, label %done
body:
  %p = getelementptr i32, ptr %x, i64 %i
  %v = load i32, ptr %p, align 4
  %q = getelementptr i32, ptr %s, i64 %i
  %a = call i32 @kdsl.update.sub.i32.alone(ptr %q, i32 %v)
  br label %latch
latch:
  %next = add nsw i64 %i, 1
  br label %head, !kdsl.items !0
done:
  ret void
}
declare i32 @kdsl.update.sub.i32.alone(ptr, i32)
!0 = !{}
