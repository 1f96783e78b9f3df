; A kernel without barriers may part its items as it likes, and one whose barrier nothing reaches is no error.
; RUN-PASS: check-barriers --offload-arch=sm_80
define void @k(ptr %x) {
; CHECK-LABEL: @k(
; CHECK: store i32 1
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %c = icmp slt i32 %t, 8
  br i1 %c, label %then, label %out
then:
  store i32 1, ptr %x
  br label %out
out:
  ret void
}
define void @empty() {
; CHECK-LABEL: @empty(
  ret void
}
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32)
