; Two loops: each is narrowed by the comparisons of its own counter, before the outer one.
; RUN-PASS: narrow-loops --march=x86-64-v3
; CHECK: entry:
; CHECK: [[X:%.*]] = trunc {{(nsw )?}}i128
; CHECK: [[Y:%.*]] = trunc {{(nsw )?}}i128
; CHECK: rows:
; CHECK: phi i64 [ [[Y]], %entry ]
; CHECK: items:
; CHECK: icmp slt i64 %x, [[X]]
; CHECK: item:
; CHECK-NOT: icmp
; CHECK: store i32
define void @f(ptr noalias %c, i64 %n, i64 %m, i64 %k) {
entry:
  br label %rows
rows:
  %y = phi i64 [ 0, %entry ], [ %y1, %row.done ]
  %c0 = icmp slt i64 %y, %n
  br i1 %c0, label %row, label %done
row:
  br label %items
items:
  %x = phi i64 [ 0, %row ], [ %x1, %latch ]
  %c1 = icmp slt i64 %x, %m
  br i1 %c1, label %item, label %row.done
item:
  %c2 = icmp sge i64 %y, %k
  br i1 %c2, label %on, label %latch
on:
  %c3 = icmp sle i64 %x, %k
  br i1 %c3, label %then, label %latch
then:
  %p0 = mul nsw i64 %y, %m
  %p1 = add nsw i64 %p0, %x
  %p = getelementptr i32, ptr %c, i64 %p1
  store i32 1, ptr %p, align 4
  br label %latch
latch:
  %x1 = add nuw nsw i64 %x, 1
  br label %items, !kdsl.items !0
row.done:
  %y1 = add nuw nsw i64 %y, 1
  br label %rows, !kdsl.rows !0
done:
  ret void
}
!0 = !{}
