; Small iterations without a check are unrolled, too: blocks of 16, and of 4 of what is left.
; RUN-PASS: combine-exits --offload-arch=sm_80
; RUN-PASS: combine-exits --offload-arch=gfx90a
define float @sum(ptr noalias readonly %x, i64 %n) {
; CHECK-LABEL: @sum(
; CHECK: and i64 {{.*}}, -16
; CHECK: load float
; CHECK: load float
; CHECK: load float
; CHECK: load float
; CHECK: load float
; CHECK: load float
; CHECK: load float
; CHECK: load float
; CHECK: load float
; CHECK: load float
; CHECK: load float
; CHECK: load float
; CHECK: load float
; CHECK: load float
; CHECK: load float
; CHECK: load float
; CHECK-NOT: load float
; CHECK: rest:
; CHECK: and i64 {{.*}}, -4
; CHECK: load float
; CHECK: load float
; CHECK: load float
; CHECK: load float
; CHECK-NOT: load float
; CHECK: head:
; CHECK: load float
; CHECK-NOT: load float
; CHECK: ret float
entry:
  br label %head
head:
  %e = phi i64 [ 0, %entry ], [ %e.next, %body ]
  %sum = phi float [ 0.0, %entry ], [ %sum.next, %body ]
  %more = icmp slt i64 %e, %n
  br i1 %more, label %body, label %done
body:
  %q = getelementptr inbounds float, ptr %x, i64 %e
  %v = load float, ptr %q
  %sum.next = fadd float %sum, %v
  %e.next = add nsw i64 %e, 1
  br label %head
done:
  ret float %sum
}
