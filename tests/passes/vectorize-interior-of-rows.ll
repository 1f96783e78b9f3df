; The places that a condition is about are those at both ends of a row: the part between them is found before the rows, and has
; no condition; few items around it run one by one.
; RUN-PASS: vectorize --march=x86-64-v3
; CHECK: interior:
; CHECK: probe:
; CHECK: interior{{[0-9]+}}:
; CHECK: br i1 {{%.*}}, label %split, label %{{row.edges|around}}
; CHECK: vectors:
; CHECK: fadd <8 x float>
; CHECK-NOT: masked
; CHECK: store <8 x float>
; CHECK: single:
; CHECK: fadd <1 x float>
; CHECK: store <1 x float>
define void @f(ptr noalias %x, ptr noalias %y, i64 %m, i64 %n) {
entry:
  br label %rows
rows:
  %i = phi i64 [ 0, %entry ], [ %below, %rows.latch ]
  %more.rows = icmp slt i64 %i, %m
  br i1 %more.rows, label %row.begin, label %done
row.begin:
  br label %head
head:
  %j = phi i64 [ 0, %row.begin ], [ %next, %latch ]
  %more = icmp slt i64 %j, %n
  br i1 %more, label %body, label %rows.latch
body:
  %first = mul nsw i64 %i, %n
  %at = add nsw i64 %first, %j
  %p = getelementptr float, ptr %x, i64 %at
  %last = add nsw i64 %n, -1
  %is.inner = icmp ne i64 %j, 0
  %is.left = icmp slt i64 %j, %last
  %is = and i1 %is.inner, %is.left
  br i1 %is, label %then, label %join
then:
  %left = getelementptr i8, ptr %p, i64 -4
  %l = load float, ptr %left, align 4
  %right = getelementptr i8, ptr %p, i64 4
  %r = load float, ptr %right, align 4
  %s = fadd float %l, %r
  br label %join
join:
  %v = phi float [ %s, %then ], [ 0.0, %body ]
  %q = getelementptr float, ptr %y, i64 %at
  store float %v, ptr %q, align 4
  br label %latch
latch:
  %next = add nsw i64 %j, 1
  br label %head, !kdsl.items !0
rows.latch:
  %below = add nsw i64 %i, 1
  br label %rows, !kdsl.rows !0
done:
  ret void
}
!0 = !{}
