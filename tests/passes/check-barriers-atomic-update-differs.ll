; What an atomic update returns differs from item to item, so it may not decide about a barrier: an internal error.
; RUN-PASS: check-barriers --offload-arch=gfx90a
; error: a barrier that only some items of a group may reach: k, block then, for amdgpu
define amdgpu_kernel void @k(ptr %x, i32 %n) {
entry:
  %v = atomicrmw add ptr %x, i32 1 monotonic
  %c = icmp slt i32 %v, %n
  br i1 %c, label %then, label %out
then:
  call void @llvm.amdgcn.s.barrier()
  br label %out
out:
  ret void
}
declare void @llvm.amdgcn.s.barrier()
