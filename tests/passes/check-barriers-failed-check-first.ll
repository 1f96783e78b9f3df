; The first item whose check fails reports the failure, on a path of its own, before it goes on as the others that fail.
; RUN-PASS: check-barriers --offload-arch=sm_80
@kdsl.failed = internal addrspace(3) global i32 poison
define void @k(ptr %x, ptr %slot, i32 %n) {
; CHECK-LABEL: @k(
; CHECK: call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  br label %loop
loop:
  %k = phi i32 [ 0, %entry ], [ %next, %meet ]
  %ok = icmp ult i32 %t, %n
  br i1 %ok, label %go, label %fail
fail:
  %swap = cmpxchg ptr %slot, i32 0, i32 1 monotonic monotonic
  %first = extractvalue { i32, i1 } %swap, 1
  br i1 %first, label %won, label %told
won:
  store i32 7, ptr %slot
  br label %told
told:
  store volatile i32 1, ptr addrspace(3) @kdsl.failed
  br label %meet
go:
  store i32 1, ptr %x
  br label %meet
meet:
  %steps = phi i32 [ 1, %go ], [ 2, %told ]
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %next = add i32 %k, %steps
  %more = icmp ult i32 %next, 10
  br i1 %more, label %loop, label %done
done:
  ret void
}
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32)
