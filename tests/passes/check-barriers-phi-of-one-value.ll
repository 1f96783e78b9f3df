; A phi that has one value on all paths of a divergent branch is the same for all items, and may decide about a barrier.
; RUN-PASS: check-barriers --offload-arch=gfx90a
define amdgpu_kernel void @k(ptr %x, i32 %n) {
; CHECK-LABEL: @k(
; CHECK: call void @llvm.amdgcn.s.barrier()
entry:
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %c = icmp slt i32 %t, 8
  br i1 %c, label %then, label %meet
then:
  %a = add i32 %n, 1
  store i32 %t, ptr %x
  br label %meet
meet:
  %m = phi i32 [ %n, %entry ], [ %n, %then ]
  %d = icmp sgt i32 %m, 0
  br i1 %d, label %all, label %out
all:
  call void @llvm.amdgcn.s.barrier()
  br label %out
out:
  ret void
}
declare i32 @llvm.amdgcn.workitem.id.x()
declare void @llvm.amdgcn.s.barrier()
