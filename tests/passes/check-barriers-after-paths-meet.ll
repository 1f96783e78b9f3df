; A barrier after the point where all paths of a divergent branch meet again is reached by all items.
; RUN-PASS: check-barriers --offload-arch=sm_80
define void @k(ptr %x) {
; CHECK-LABEL: @k(
; CHECK: out:
; CHECK: call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %c = icmp slt i32 %t, 8
  br i1 %c, label %then, label %out
then:
  store i32 1, ptr %x
  br label %out
out:
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  ret void
}
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32)
