; On GPUs everything is optimised, and declarations have no code to leave as it is.
; RUN-PASS: bound-optimizing --offload-arch=gfx90a
; RUN-PASS: bound-optimizing --offload-arch=sm_80
define void @two() {
; CHECK: define void @two() {
  br label %end
end:
  ret void
}
declare void @elsewhere()
; CHECK-NOT: optnone
!llvm.module.flags = !{!0}
!0 = !{i32 1, !"kdsl.most.optimized", i32 1}
