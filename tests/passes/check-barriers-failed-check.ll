; An item whose check fails notes that in a variable and goes on to where its group meets, so it does not part the group.
; RUN-PASS: check-barriers --offload-arch=sm_80
@kdsl.failed = internal addrspace(3) global i32 poison
define void @k(ptr %x, i32 %n) {
; CHECK-LABEL: @k(
; CHECK: call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %ok = icmp ult i32 %t, %n
  br i1 %ok, label %go, label %fail
fail:
  store volatile i32 1, ptr addrspace(3) @kdsl.failed
  br label %meet
go:
  store i32 1, ptr %x
  br label %meet
meet:
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  ret void
}
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32)
