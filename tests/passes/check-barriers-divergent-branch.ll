; A barrier that only items with a small number reach is an internal error.
; RUN-PASS: check-barriers --offload-arch=sm_80
; error: a barrier that only some items of a group may reach: k, block then, for nvptx
define void @k(i32 %n) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %c = icmp slt i32 %t, %n
  br i1 %c, label %then, label %out
then:
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  br label %out
out:
  ret void
}
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32)
