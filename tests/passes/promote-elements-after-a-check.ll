; A check before the first access of an iteration may be what makes the access valid.
; RUN-PASS: promote-elements --march=x86-64-v3
; CHECK: body:
; CHECK: ok:
; CHECK: load i32, ptr %p
; CHECK: store i32 %new, ptr %p
; CHECK: round:
define void @f(ptr noalias %c, ptr noalias %a, i64 %n, i64 %m) {
entry:
  br label %head
head:
  %i = phi i64 [ 0, %entry ], [ %next, %latch ]
  %more = icmp slt i64 %i, %n
  br i1 %more, label %item, label %done
item:
  %p = getelementptr i32, ptr %c, i64 %i
  br label %loop
loop:
  %k = phi i64 [ 0, %item ], [ %k1, %round ]
  %again = icmp slt i64 %k, %m
  br i1 %again, label %body, label %after
body:
  %q = getelementptr i32, ptr %a, i64 %k
  %v = load i32, ptr %q, align 4
  %bad = icmp slt i32 %v, 0
  br i1 %bad, label %fail, label %ok
ok:
  %old = load i32, ptr %p, align 4
  %new = add i32 %old, %v
  store i32 %new, ptr %p, align 4
  br label %round
round:
  %k1 = add nsw i64 %k, 1
  br label %loop
after:
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
