; Without a check LLVM's own unrolling takes the loop, by as many iterations.
; RUN-PASS: combine-exits --offload-arch=sm_80
define float @sum(ptr noalias readonly %x, i64 %n) {
; CHECK-LABEL: @sum(
; CHECK-NOT: rest:
; CHECK: ret float
; CHECK: !"llvm.loop.unroll.count", i32 4
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
