; A check whose condition holds for all items of a block inside is followed by the code after it, as any check is.
; RUN-PASS: vectorize --march=x86-64-v3
; CHECK: br i1 {{%.*}}, label %split, label %{{row.edges|around}}
; CHECK: vectors:
; CHECK: load <8 x float>
; CHECK: load <8 x float>
; CHECK: store <8 x float>
; CHECK: ret void
define void @f(ptr noalias %a, ptr noalias %c, i64 %n, i64 %m) {
entry:
  br label %head
head:
  %i = phi i64 [ 0, %entry ], [ %next, %latch ]
  %more = icmp slt i64 %i, %n
  br i1 %more, label %item, label %done
item:
  %is = icmp slt i64 %i, %m
  br i1 %is, label %then, label %meet
then:
  br label %meet
meet:
  %j = phi i64 [ 0, %item ], [ %i, %then ]
  %p = getelementptr float, ptr %a, i64 %j
  %v = load float, ptr %p, align 4
  br i1 %is, label %ok, label %fail
ok:
  %q = getelementptr float, ptr %c, i64 %i
  %w = load float, ptr %q, align 4
  %x = fadd float %v, %w
  store float %x, ptr %q, align 4
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
