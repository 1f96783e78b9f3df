; k and k + 1 have both passed their checks: k + 1 has not wrapped, and the second index is the first one plus 1.
; RUN-PASS: relate-checked --march=x86-64-v3
; CHECK: more:
; CHECK: %[[NEXT:.*]] = add nuw nsw i64 %a, 1
; CHECK: getelementptr float, ptr %t, i64 %[[NEXT]]
; CHECK: fail:
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
  %in = icmp ult i64 %a, %n
  br i1 %in, label %first, label %fail
first:
  %k1 = add i32 %k, 1
  %b = sext i32 %k1 to i64
  %out = icmp ule i64 %n, %b
  br i1 %out, label %fail, label %more
more:
  %q = getelementptr float, ptr %t, i64 %a
  %r = getelementptr float, ptr %t, i64 %b
  %x = load float, ptr %q, align 4
  %y = load float, ptr %r, align 4
  %s = fadd float %x, %y
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
