; A barrier in a loop that items leave at different times is reached a different number of times: an internal error.
; RUN-PASS: check-barriers --offload-arch=sm_80
; error: a barrier that only some items of a group may reach: k, block loop
define void @k() {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %j, %loop ]
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %j = add i32 %i, 1
  %go = icmp slt i32 %j, %t
  br i1 %go, label %loop, label %out
out:
  ret void
}
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32)
