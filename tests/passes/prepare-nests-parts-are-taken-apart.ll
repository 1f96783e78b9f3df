; A small vector of the language, as a colour, is taken apart: lanes are items, not its parts.
; RUN-PASS: prepare-nests --march=x86-64-v3
define void @f(ptr noalias %x, i64 %n) {
; CHECK-LABEL: define void @f(
; CHECK-NOT: {{load|fadd|store}} <2 x float>
; CHECK-COUNT-2: load float
; CHECK-COUNT-2: fadd float
; CHECK-COUNT-2: store float
entry:
  br label %head
head:
  %i = phi i64 [ 0, %entry ], [ %next, %latch ]
  %more = icmp slt i64 %i, %n
  br i1 %more, label %body, label %done
body:
  %p = getelementptr <2 x float>, ptr %x, i64 %i
  %v = load <2 x float>, ptr %p, align 8
  %w = fadd <2 x float> %v, %v
  store <2 x float> %w, ptr %p, align 8
  br label %latch
latch:
  %next = add nsw i64 %i, 1
  br label %head, !kdsl.items !0
done:
  ret void
}
!0 = !{}
