; NVIDIA's assembler may unroll a loop that LLVM has unrolled: the mark goes, the loop goes on if its condition is true, and
; the counter is below its end. No pointer is made of a sum with the counter, since that may wrap, as far as it says.
; RUN-PASS: release-loops --offload-arch=sm_80
define void @k(ptr %x, i32 %n) {
; CHECK-LABEL: @k(
; CHECK: %next = add i32 %k, 4
; CHECK: %done = icmp ult i32 %next, %n
; CHECK: br i1 %done, label %body, label %out{{$|, !llvm.loop !0}}
; CHECK-NOT: llvm.loop.unroll.disable
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
