; Blocks of several rows: the rows that are left over go one by one, in blocks of several vectors, since the items' loop
; waits for itself; what is left of them is under masks, and its loop is not unrolled.
; RUN-PASS: vectorize --march=x86-64-v4
; CHECK: rows{{[0-9]+}}:
; CHECK: store <8 x double>
; CHECK: row{{[0-9]*}}:
; CHECK: vectors{{[0-9]*}}:
; CHECK: @llvm.masked.load.v8f64
; CHECK: @llvm.masked.store.v8f64
; CHECK: "llvm.loop.unroll.runtime.disable"
define void @f(ptr noalias %x, ptr noalias %y, ptr noalias %z, i64 %m, i64 %n) {
entry:
  br label %rows
rows:
  %j = phi i64 [ 0, %entry ], [ %down, %row.end ]
  %below = icmp slt i64 %j, %m
  br i1 %below, label %row, label %done
row:
  br label %head
head:
  %i = phi i64 [ 0, %row ], [ %next, %latch ]
  %more = icmp slt i64 %i, %n
  br i1 %more, label %body, label %row.end
body:
  br label %round
round:
  %e = phi i64 [ 0, %body ], [ %e.next, %sum ]
  %s = phi double [ 0.0, %body ], [ %t, %sum ]
  %goes = icmp slt i64 %e, %m
  br i1 %goes, label %sum, label %out
sum:
  %j.k = mul nsw i64 %j, %m
  %j.e = add nsw i64 %j.k, %e
  %p = getelementptr double, ptr %x, i64 %j.e
  %v = load double, ptr %p, align 8
  %e.n = mul nsw i64 %e, %n
  %e.i = add nsw i64 %e.n, %i
  %q = getelementptr double, ptr %y, i64 %e.i
  %w = load double, ptr %q, align 8
  %vw = fmul double %v, %w
  %t = fadd double %s, %vw
  %e.next = add nsw i64 %e, 1
  br label %round
out:
  %start = mul nsw i64 %j, %n
  %at = add nsw i64 %start, %i
  %r = getelementptr double, ptr %z, i64 %at
  store double %s, ptr %r, align 8
  br label %latch
latch:
  %next = add nsw i64 %i, 1
  br label %head, !kdsl.items !0
row.end:
  %down = add nsw i64 %j, 1
  br label %rows, !kdsl.rows !0
done:
  ret void
}
!0 = !{}
