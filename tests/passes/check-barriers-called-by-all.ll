; A function that holds a barrier may be called where all items come, also twice.
; RUN-PASS: check-barriers --offload-arch=sm_80
define internal void @meet() {
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  ret void
}
define void @k(i32 %n) {
; CHECK-LABEL: define void @k(
; CHECK-COUNT-2: call void @meet()
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  call void @meet()
  %c = icmp slt i32 %n, 8
  br i1 %c, label %then, label %out
then:
  call void @meet()
  br label %out
out:
  ret void
}
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32)
