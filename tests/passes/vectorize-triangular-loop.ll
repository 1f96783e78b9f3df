; A bound that grows from row to row: the rows of a block share the iterations of the first one; the others are a loop
; with a mask for each row.
; RUN-PASS: vectorize --march=x86-64-v3
; CHECK: [[ALL:%.*]] = call i64 @llvm.smin.i64(
; CHECK: icmp slt i64 [[K:%.*]], [[ALL]]
; CHECK: icmp slt i64 [[R:%.*]], [[LAST:%.*]]
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
  %k = phi i64 [ 0, %item ], [ %k.next, %body ]
  %s = phi float [ 0.0, %item ], [ %s.next, %body ]
  %goes = icmp slt i64 %k, %i
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
  %k.next = add nsw i64 %k, 1
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
