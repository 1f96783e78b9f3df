; Loops beside nests, as those that join the threads' copies of an array, are vectorised in either pipeline.
; RUN-PASS: optimize --march=x86-64-v3
; CHECK: define void @beside(
; CHECK: fadd <8 x float>
; CHECK: define void @f(
define void @beside(ptr noalias %x, i64 %n)  {
entry:
  br label %head
head:
  %i = phi i64 [ 0, %entry ], [ %next, %head ]
  %p = getelementptr inbounds float, ptr %x, i64 %i
  %v = load float, ptr %p, align 4
  %w = fadd float %v, 1.0
  store float %w, ptr %p, align 4
  %next = add nsw i64 %i, 1
  %more = icmp slt i64 %next, %n
  br i1 %more, label %head, label %done
done:
  ret void
}
define void @f(ptr noalias %x) "kdsl-vector" {
  %q = getelementptr inbounds i8, ptr %x, i64 8
  %a = load double, ptr %x, align 8
  %b = load double, ptr %q, align 8
  %c = fmul double %a, 3.0
  %d = fmul double %b, 5.0
  store double %c, ptr %x, align 8
  store double %d, ptr %q, align 8
  ret void
}
