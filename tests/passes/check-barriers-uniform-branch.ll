; A branch that all items take alike may lead to a barrier: its condition is a parameter, or memory that all share.
; RUN-PASS: check-barriers --offload-arch=sm_80
define void @k(i32 %n, ptr %x) {
; CHECK-LABEL: @k(
; CHECK-COUNT-2: call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %m = load i32, ptr %x
  %c = icmp slt i32 %m, %n
  br i1 %c, label %then, label %out
then:
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  br label %out
out:
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  ret void
}
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32)
