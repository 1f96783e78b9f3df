; A function that holds a barrier is one where it is called: from a divergent branch that is an internal error.
; RUN-PASS: check-barriers --offload-arch=sm_80
; error: a barrier that only some items of a group may reach: k, block then
define internal void @outer() {
  call void @meet()
  ret void
}
define internal void @meet() {
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  ret void
}
define void @k() {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %c = icmp slt i32 %t, 8
  br i1 %c, label %then, label %out
then:
  call void @outer()
  br label %out
out:
  ret void
}
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32)
