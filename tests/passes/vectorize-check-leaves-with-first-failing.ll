; A check that items may fail is made once for a block; where it fails, one item goes on alone to report.
; RUN-PASS: vectorize --march=x86-64-v4
; CHECK: vectors:
; CHECK: %doubt{{[0-9]*}} = icmp
; CHECK: br i1 {{%.*}}, !prof
; CHECK: load <16 x float>
; CHECK: call void @report(i64
define void @f(ptr noalias %x, ptr noalias %y, i64 %n, i64 %m) {
entry:
  br label %head
head:
  %i = phi i64 [ 0, %entry ], [ %next, %latch ]
  %more = icmp slt i64 %i, %n
  br i1 %more, label %body, label %done
body:
  %in = icmp ult i64 %i, %m
  br i1 %in, label %ok, label %fail
fail:
  call void @report(i64 %i)
  ret void
ok:
  %p = getelementptr float, ptr %x, i64 %i
  %v = load float, ptr %p, align 4
  %q = getelementptr float, ptr %y, i64 %i
  store float %v, ptr %q, align 4
  br label %latch
latch:
  %next = add nsw i64 %i, 1
  br label %head, !kdsl.items !0
done:
  ret void
}
declare void @report(i64)
!0 = !{}
