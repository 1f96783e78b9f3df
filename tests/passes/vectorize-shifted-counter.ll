; `for k in i + 1..n`, of which LLVM has made a counter that begins at i: it counts from i + 1 again, and so its loop is
; one in which the rows of a block share iterations, from where the last row begins.
; RUN-PASS: vectorize --march=x86-64-v3
; CHECK: [[LO:%.*]] = add nsw i64 {{%.*}}, 1
; CHECK: [[ALL:%.*]] = call i64 @llvm.smax.i64(i64 [[LO]],
; CHECK-NOT: call i64 @kdsl.rows
define void @f(ptr noalias readonly %a, ptr noalias readonly %b, ptr noalias %c, i64 %n) {
entry:
  br label %rows
rows:
  %i = phi i64 [ 0, %entry ], [ %i.next, %row.done ]
  %any = icmp slt i64 %i, %n
  br i1 %any, label %row, label %done
row:
  br label %head
head:
  %j = phi i64 [ 0, %row ], [ %next, %latch ]
  %more = icmp slt i64 %j, %n
  br i1 %more, label %item, label %row.done
item:
  br label %loop
loop:
  %before = phi i64 [ %i, %item ], [ %k, %body ]
  %s = phi float [ 0.0, %item ], [ %s.next, %body ]
  %k = add nsw i64 %before, 1
  %goes = icmp slt i64 %k, %n
  br i1 %goes, label %body, label %end
body:
  %ai = mul nsw i64 %i, %n
  %ak = add nsw i64 %ai, %k
  %pa = getelementptr float, ptr %a, i64 %ak
  %va = load float, ptr %pa, align 4
  %bk = mul nsw i64 %k, %n
  %bj = add nsw i64 %bk, %j
  %pb = getelementptr float, ptr %b, i64 %bj
  %vb = load float, ptr %pb, align 4
  %m = fmul float %va, %vb
  %s.next = fadd float %s, %m
  br label %loop
end:
  %ai.c = mul nsw i64 %i, %n
  %cj = add nsw i64 %ai.c, %j
  %pc = getelementptr float, ptr %c, i64 %cj
  store float %s, ptr %pc, align 4
  br label %latch
latch:
  %next = add nsw i64 %j, 1
  br label %head, !kdsl.items !0
row.done:
  %i.next = add nsw i64 %i, 1
  br label %rows, !kdsl.rows !0
done:
  ret void
}
!0 = !{}
