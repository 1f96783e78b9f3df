; Loops that count the bits of a number, in four forms, and what goes up by the same in each round.
; RUN-PASS: recognise-idioms --march=x86-64-v3
; CHECK-LABEL: item:
; CHECK: %v = load i32
; CHECK: call i32 @llvm.ctpop.i32(i32 %v)
; CHECK: mul i32 %{{.*}}, %k
; CHECK: call i32 @llvm.ctpop.i32(i32 %v)
; CHECK: call i32 @llvm.ctlz.i32(i32 %v, i1 false)
; CHECK: call i32 @llvm.ctpop.i32(i32 %v)
; CHECK-NOT: phi i32
; CHECK: store i64
define void @f(ptr noalias %y, ptr noalias %x, i64 %n, i32 %k) "kdsl-nests" {
entry:
  br label %head
head:
  %i = phi i64 [ 0, %entry ], [ %next, %latch ]
  %more = icmp slt i64 %i, %n
  br i1 %more, label %item, label %done
item:
  %p = getelementptr i32, ptr %x, i64 %i
  %v = load i32, ptr %p, align 4
  br label %a
a:
  %ax = phi i32 [ %v, %item ], [ %ax1, %a.body ]
  %an = phi i64 [ 0, %item ], [ %an1, %a.body ]
  %ak = phi i32 [ 5, %item ], [ %ak1, %a.body ]
  %a.done = icmp eq i32 %ax, 0
  br i1 %a.done, label %b, label %a.body
a.body:
  %less = add i32 %ax, -1
  %ax1 = and i32 %less, %ax
  %an1 = add nsw i64 %an, 1
  %ak1 = add i32 %ak, %k
  br label %a
b:
  %bx = phi i32 [ %v, %a ], [ %bx1, %b.body ]
  %bn = phi i64 [ %an, %a ], [ %bn1, %b.body ]
  %bm = phi i32 [ %ak, %a ], [ %bm1, %b.body ]
  %b.goes = icmp ne i32 %bx, 0
  br i1 %b.goes, label %b.body, label %c
b.body:
  %bit = and i32 %bx, 1
  %wide = zext i32 %bit to i64
  %bn1 = add i64 %bn, %wide
  %bm1 = add i32 %bm, 1
  %bx1 = lshr i32 %bx, 1
  br label %b
c:
  %cb = phi i32 [ 0, %b ], [ %cb1, %c.body ]
  %cn = phi i64 [ %bn, %b ], [ %cn1, %c.body ]
  %c.goes = icmp slt i32 %cb, 32
  br i1 %c.goes, label %c.body, label %d
c.body:
  %by = and i32 %cb, 31
  %sh = lshr i32 %v, %by
  %last = and i32 %sh, 1
  %last.wide = zext i32 %last to i64
  %cn1 = add i64 %cn, %last.wide
  %cb1 = add i32 %cb, 1
  br label %c
d:
  %m.wide = zext i32 %bm to i64
  %all = add i64 %cn, %m.wide
  %q = getelementptr i64, ptr %y, i64 %i
  store i64 %all, ptr %q, align 8
  br label %latch
latch:
  %next = add nsw i64 %i, 1
  br label %head, !kdsl.items !0
done:
  ret void
}
!0 = !{}
