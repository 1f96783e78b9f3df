; A module that a pass has written can be read by the next one: what every module is told is there once.
; RUN-PASS: lower-masks --march=x86-64-v3
define void @none() {
; CHECK-LABEL: @none(
; CHECK: !llvm.module.flags = !{!0}
; CHECK: !0 = !{i32 4, !"PIC Level", i32 2}
  ret void
}
!llvm.module.flags = !{!0}
!0 = !{i32 4, !"PIC Level", i32 2}
