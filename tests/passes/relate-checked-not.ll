; What is used where only one check has passed, or before, stays; so do sums of different numbers, and where the number that
; is compared with is no extent.
; RUN-PASS: relate-checked --march=x86-64-v3
; CHECK-NOT: add nuw nsw
; CHECK-NOT: add nsw i64 %a
; CHECK-NOT: add nsw i64 %c
define void @f(ptr noalias %t, ptr noalias %at, ptr noalias %o, i64 %n, i64 %m) {
entry:
  br label %head
head:
  %i = phi i64 [ 0, %entry ], [ %next, %latch ]
  %again = icmp slt i64 %i, %m
  br i1 %again, label %item, label %done
item:
  %p = getelementptr i32, ptr %at, i64 %i
  %k = load i32, ptr %p, align 4
  %a = sext i32 %k to i64
  %k1 = add i32 %k, 1
  %b = sext i32 %k1 to i64
  %in = icmp ult i64 %a, %n
  br i1 %in, label %first, label %fail
first:
  %early = getelementptr float, ptr %t, i64 %b
  %w = load float, ptr %early, align 4
  %p1 = getelementptr i32, ptr %p, i64 1
  %c0 = load i32, ptr %p1, align 4
  %c = sext i32 %c0 to i64
  %in1 = icmp ult i64 %c, %n
  br i1 %in1, label %more, label %fail
more:
  %r = getelementptr float, ptr %t, i64 %c
  %x = load float, ptr %r, align 4
  %end = sub i64 %n, %m
  %d0 = add i32 %c0, 2
  %d = sext i32 %d0 to i64
  %in2 = icmp ult i64 %d, %end
  br i1 %in2, label %last, label %fail
last:
  %r2 = getelementptr float, ptr %t, i64 %d
  %y = load float, ptr %r2, align 4
  %s0 = fadd float %w, %y
  %s = fadd float %x, %s0
  %to = getelementptr float, ptr %o, i64 %i
  store float %s, ptr %to, align 4
  br label %latch
latch:
  %next = add nsw i64 %i, 1
  br label %head, !kdsl.items !0
fail:
  ret void
done:
  ret void
}
!0 = !{}
