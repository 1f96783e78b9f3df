; A loop that writes memory, one over a number with a sign, one that goes through some of the bits, and one that is left for
; another reason stay loops.
; RUN-PASS: recognise-idioms --march=x86-64-v3
; CHECK-NOT: llvm.ct
; CHECK: ret void
define void @f(ptr noalias %y, ptr noalias %x, i64 %n) "kdsl-nests" {
entry:
  br label %head
head:
  %i = phi i64 [ 0, %entry ], [ %next, %latch ]
  %more = icmp slt i64 %i, %n
  br i1 %more, label %item, label %done
item:
  %p = getelementptr i32, ptr %x, i64 %i
  %v = load i32, ptr %p, align 4
  %q = getelementptr i32, ptr %y, i64 %i
  br label %a
a:
  %ax = phi i32 [ %v, %item ], [ %ax1, %a.body ]
  %an = phi i32 [ 0, %item ], [ %an1, %a.body ]
  %a.done = icmp eq i32 %ax, 0
  br i1 %a.done, label %b, label %a.body
a.body:
  %less = add i32 %ax, -1
  %ax1 = and i32 %less, %ax
  %an1 = add nsw i32 %an, 1
  store i32 %an1, ptr %q, align 4
  br label %a
b:
  %bx = phi i32 [ %v, %a ], [ %bx1, %b.body ]
  %bn = phi i32 [ %an, %a ], [ %bn1, %b.body ]
  %b.goes = icmp ne i32 %bx, 0
  br i1 %b.goes, label %b.body, label %c
b.body:
  %bn1 = add i32 %bn, 1
  %bx1 = ashr i32 %bx, 1
  br label %b
c:
  %cb = phi i32 [ 0, %b ], [ %cb1, %c.body ]
  %cn = phi i32 [ %bn, %b ], [ %cn1, %c.body ]
  %c.goes = icmp slt i32 %cb, 31
  br i1 %c.goes, label %c.body, label %d
c.body:
  %sh = lshr i32 %v, %cb
  %last = and i32 %sh, 1
  %cn1 = add i32 %cn, %last
  %cb1 = add i32 %cb, 1
  br label %c
d:
  %dx = phi i32 [ %v, %c ], [ %dx1, %d.body ]
  %dn = phi i32 [ %cn, %c ], [ %dn1, %d.body ]
  %d.done = icmp ult i32 %dx, 3
  br i1 %d.done, label %e, label %d.body
d.body:
  %dless = add i32 %dx, -1
  %dx1 = and i32 %dless, %dx
  %dn1 = add i32 %dn, 1
  br label %d
e:
  store i32 %dn, ptr %q, align 4
  br label %latch
latch:
  %next = add nsw i64 %i, 1
  br label %head, !kdsl.items !0
done:
  ret void
}
!0 = !{}
