; Two kernels as kdslc's are for NVIDIA: the launch environment first, every argument 8 bytes, both sorts of shared
; memory.
target triple = "nvptx64-nvidia-cuda"

@dynamic = external addrspace(3) global [0 x float], align 16
@tile = internal addrspace(3) global [64 x float] poison, align 4
@scale = addrspace(1) global [2 x float] [float 2.0, float 3.0], align 4

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32)

define ptx_kernel void @saxpy(ptr %env, ptr noalias align 4 %x, ptr noalias align 4 %y, i64 %a.bits, i64 %n) #0 {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %d = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %first = mul i32 %b, %d
  %i = add i32 %first, %t
  %at = zext i32 %i to i64
  %inside = icmp ult i64 %at, %n
  br i1 %inside, label %go, label %out
go:
  %bits = trunc i64 %a.bits to i32
  %a = bitcast i32 %bits to float
  %px = getelementptr float, ptr %x, i64 %at
  %py = getelementptr float, ptr %y, i64 %at
  %vx = load float, ptr %px
  %vy = load float, ptr %py
  %m = fmul float %a, %vx
  %s = fadd float %m, %vy
  store float %s, ptr %py
  br label %out
out:
  ret void
}

define ptx_kernel void @tiles(ptr %env, ptr %y) #1 {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %pt = getelementptr float, ptr addrspace(3) @tile, i32 %t
  %pd = getelementptr float, ptr addrspace(3) @dynamic, i32 %t
  %s = load float, ptr addrspace(1) @scale
  store float %s, ptr addrspace(3) %pt
  store float %s, ptr addrspace(3) %pd
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %r = load float, ptr addrspace(3) @tile
  store float %r, ptr %y
  ret void
}

attributes #0 = { "nvvm.maxntid"="256" }
attributes #1 = { "nvvm.maxntid"="64" }
