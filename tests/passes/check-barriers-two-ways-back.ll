; Two ways back to one header are one loop, which all items run the same number of times, whichever way they take.
; RUN-PASS: check-barriers --offload-arch=sm_80
define void @k(i32 %n) {
; CHECK-LABEL: @k(
; CHECK: call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  br label %head
head:
  %i = phi i32 [ 0, %entry ], [ %j, %body ], [ %j, %other ]
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %j = add i32 %i, 1
  %more = icmp slt i32 %j, %n
  br i1 %more, label %body, label %out
body:
  %c = icmp slt i32 %t, %j
  br i1 %c, label %head, label %other
other:
  br label %head
out:
  ret void
}
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32)
