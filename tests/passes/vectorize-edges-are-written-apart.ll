; A condition that only the items at an edge fail is asked once for a block, which has no mask where all pass.
; RUN-PASS: vectorize --march=x86-64-v4
; CHECK: vectors:
; CHECK: icmp sgt i64 {{%.*}}, 0
; CHECK: br i1
; CHECK: load <16 x float>
; CHECK: load <16 x float>
; CHECK: fadd <16 x float>
; CHECK: store <16 x float>
define void @f(ptr noalias %x, ptr noalias %y, i64 %n) {
entry:
  br label %head
head:
  %i = phi i64 [ 0, %entry ], [ %next, %latch ]
  %more = icmp slt i64 %i, %n
  br i1 %more, label %body, label %done
body:
  %p = getelementptr float, ptr %x, i64 %i
  %inner = icmp sgt i64 %i, 0
  br i1 %inner, label %then, label %else
then:
  %left = getelementptr i8, ptr %p, i64 -4
  %l = load float, ptr %left, align 4
  %v = load float, ptr %p, align 4
  %s = fadd float %l, %v
  br label %join
else:
  br label %join
join:
  %r = phi float [ %s, %then ], [ 0.0, %else ]
  %q = getelementptr float, ptr %y, i64 %i
  store float %r, ptr %q, align 4
  br label %latch
latch:
  %next = add nsw i64 %i, 1
  br label %head, !kdsl.items !0
done:
  ret void
}
!0 = !{}
