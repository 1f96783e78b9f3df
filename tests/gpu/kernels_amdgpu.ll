; The kernels of kernels_nvptx.ll for AMD.
target triple = "amdgcn-amd-amdhsa"

@dynamic = external addrspace(3) global [0 x float], align 16
@tile = internal addrspace(3) global [64 x float] poison, align 4
@scale = protected addrspace(1) global [2 x float] [float 2.0, float 3.0], align 4

declare i32 @llvm.amdgcn.workitem.id.x()
declare i32 @llvm.amdgcn.workgroup.id.x()
declare ptr addrspace(4) @llvm.amdgcn.implicitarg.ptr()
declare void @llvm.amdgcn.s.barrier()

define protected amdgpu_kernel void @saxpy(ptr addrspace(1) %env, ptr addrspace(1) noalias %x,
                                           ptr addrspace(1) noalias %y, i64 %a.bits, i64 %n) #0 {
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %b = call i32 @llvm.amdgcn.workgroup.id.x()
  %implicit = call ptr addrspace(4) @llvm.amdgcn.implicitarg.ptr()
  %pd = getelementptr i8, ptr addrspace(4) %implicit, i64 12
  %d16 = load i16, ptr addrspace(4) %pd, align 2
  %d = zext i16 %d16 to i32
  %first = mul i32 %b, %d
  %i = add i32 %first, %t
  %at = zext i32 %i to i64
  %inside = icmp ult i64 %at, %n
  br i1 %inside, label %go, label %out
go:
  %bits = trunc i64 %a.bits to i32
  %a = bitcast i32 %bits to float
  %px = getelementptr float, ptr addrspace(1) %x, i64 %at
  %py = getelementptr float, ptr addrspace(1) %y, i64 %at
  %vx = load float, ptr addrspace(1) %px
  %vy = load float, ptr addrspace(1) %py
  %m = fmul float %a, %vx
  %s = fadd float %m, %vy
  store float %s, ptr addrspace(1) %py
  br label %out
out:
  ret void
}

define protected amdgpu_kernel void @tiles(ptr addrspace(1) %env, ptr addrspace(1) %y) #1 {
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %pt = getelementptr float, ptr addrspace(3) @tile, i32 %t
  %pd = getelementptr float, ptr addrspace(3) @dynamic, i32 %t
  %s = load float, ptr addrspace(1) @scale
  store float %s, ptr addrspace(3) %pt
  store float %s, ptr addrspace(3) %pd
  call void @llvm.amdgcn.s.barrier()
  %r = load float, ptr addrspace(3) @tile
  store float %r, ptr addrspace(1) %y
  ret void
}

attributes #0 = { "amdgpu-flat-work-group-size"="1,256" "uniform-work-group-size"="true" }
attributes #1 = { "amdgpu-flat-work-group-size"="1,64" "uniform-work-group-size"="true" }
