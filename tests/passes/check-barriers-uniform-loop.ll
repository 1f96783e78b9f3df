; A loop whose number of iterations is the same for all items may hold barriers, and a loop without any may diverge in it.
; RUN-PASS: check-barriers --offload-arch=sm_80
define void @k(i32 %n) {
; CHECK-LABEL: @k(
; CHECK: call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %j, %next ]
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  br label %inner
inner:
  %a = phi i32 [ 0, %loop ], [ %b, %inner ]
  %b = add i32 %a, 1
  %more = icmp slt i32 %b, %t
  br i1 %more, label %inner, label %next
next:
  %j = add i32 %i, 1
  %go = icmp slt i32 %j, %n
  br i1 %go, label %loop, label %out
out:
  ret void
}
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32)
