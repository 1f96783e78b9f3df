; Arithmetic of 32 bits below an extension: done in 64 bits where its flags say that it cannot wrap, else as it is.
; RUN-PASS: prepare-nests --march=x86-64-v3
define void @f(ptr noalias %x, ptr noalias %y, i64 %n, i32 %row) {
; CHECK-LABEL: define void @f(
; CHECK: %[[ROW:.*]] = sext i32 %row to i64
; CHECK: %i = phi i64
; CHECK-NOT: {{ashr|sext}}
; CHECK: %[[AT:.*]] = getelementptr float, ptr %x, i64 %i
; CHECK-NEXT: getelementptr float, ptr %[[AT]], i64 %[[ROW]]
; The second may wrap: bits 32 and up are copies of bit 31.
; CHECK: ashr exact i64 %{{.*}}, 30
entry:
  br label %head
head:
  %i = phi i64 [ 0, %entry ], [ %next, %latch ]
  %more = icmp slt i64 %i, %n
  br i1 %more, label %body, label %done
body:
  %narrow = trunc nsw i64 %i to i32
  %sum = add nsw i32 %narrow, %row
  %at = sext i32 %sum to i64
  %p = getelementptr float, ptr %x, i64 %at
  %v = load float, ptr %p, align 4
  %wraps = add i32 %narrow, 100
  %to = sext i32 %wraps to i64
  %q = getelementptr float, ptr %y, i64 %to
  store float %v, ptr %q, align 4
  br label %latch
latch:
  %next = add nsw i64 %i, 1
  br label %head, !kdsl.items !0
done:
  ret void
}
!0 = !{}
