; LLVM makes the machine code of AMD's GPUs itself.
; RUN-PASS: release-loops --offload-arch=gfx90a
define void @k(ptr %x, i32 %n) {
; CHECK-LABEL: @k(
; CHECK: %next = add nuw i32 %k, 4
; CHECK: icmp eq i32 %next, %n
; CHECK: llvm.loop.unroll.disable
entry:
  br label %body
body:
  %k = phi i32 [ 0, %entry ], [ %next, %body ]
  %wide = sext i32 %k to i64
  %p = getelementptr float, ptr %x, i64 %wide
  store float 0.0, ptr %p
  %next = add nuw i32 %k, 4
  %done = icmp eq i32 %next, %n
  br i1 %done, label %out, label %body, !llvm.loop !0
out:
  ret void
}
!0 = distinct !{!0, !1}
!1 = !{!"llvm.loop.unroll.disable"}
