; A loop without a check whose iterations are larger is left to LLVM's own unrolling, by four.
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
  %v0 = fmul float %v, %v
  %v1 = fmul float %v0, %v0
  %v2 = fmul float %v1, %v1
  %v3 = fmul float %v2, %v2
  %v4 = fmul float %v3, %v3
  %v5 = fmul float %v4, %v4
  %v6 = fmul float %v5, %v5
  %v7 = fmul float %v6, %v6
  %v8 = fmul float %v7, %v7
  %v9 = fmul float %v8, %v8
  %v10 = fmul float %v9, %v9
  %v11 = fmul float %v10, %v10
  %sum.next = fadd float %sum, %v11
  %e.next = add nsw i64 %e, 1
  br label %head
done:
  ret float %sum
}
