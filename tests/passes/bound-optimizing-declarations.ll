; A declaration has no blocks, whatever the bound.
; RUN-PASS: bound-optimizing --march=x86-64-v3
; CHECK: declare void @elsewhere()
; CHECK-NOT: optnone
declare void @elsewhere()
!llvm.module.flags = !{!0}
!0 = !{i32 1, !"kdsl.most.optimized", i32 0}
