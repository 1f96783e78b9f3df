; An inner loop that items leave at different times executes its barrier until the last one has left: an internal error.
; RUN-PASS: check-barriers --offload-arch=sm_80
; error: a barrier that only some items of a group may reach: k, block inner
define void @k(i32 %n) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  br label %outer
outer:
  %i = phi i32 [ 0, %entry ], [ %j, %next ]
  br label %inner
inner:
  %a = phi i32 [ %i, %outer ], [ %b, %inner ]
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %b = add i32 %a, 1
  %more = icmp slt i32 %b, %t
  br i1 %more, label %inner, label %next
next:
  %j = add i32 %i, 1
  %go = icmp slt i32 %j, %n
  br i1 %go, label %outer, label %out
out:
  ret void
}
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32)
