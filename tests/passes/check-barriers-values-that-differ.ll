; A value that differs may come through memory of the item's own, and through an atomic update: both are internal errors.
; RUN-PASS: check-barriers --offload-arch=sm_80
; error: a barrier that only some items of a group may reach: k, block then
define void @k(i32 %n) {
entry:
  %own = alloca i32
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  store i32 %t, ptr %own
  %v = load i32, ptr %own
  %c = icmp slt i32 %v, %n
  br i1 %c, label %then, label %out
then:
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  br label %out
out:
  ret void
}
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32)
