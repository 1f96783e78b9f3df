; A loop with two ends, whose counter does not pass its end, as a mark says, is compared by that order. Without the mark
; the counter might be above its end from the beginning.
; RUN-PASS: release-loops --offload-arch=sm_80
define void @k(ptr %x, i32 %first, i32 %n) {
; CHECK-LABEL: @k(
; CHECK: %more = icmp slt i32 %next, %n
; CHECK: %more.u = icmp ult i32 %next.u, %n
; CHECK: %more.other = icmp ne i32 %next.other, %n
entry:
  br label %body
body:
  %k = phi i32 [ %first, %entry ], [ %next, %on ]
  %v = load volatile i32, ptr %x
  %fails = icmp eq i32 %v, %k
  br i1 %fails, label %out, label %on
on:
  %next = add i32 %k, 8
  %more = icmp ne i32 %next, %n
  br i1 %more, label %body, label %u, !llvm.loop !0
u:
  br label %body.u
body.u:
  %k.u = phi i32 [ %first, %u ], [ %next.u, %on.u ]
  %v.u = load volatile i32, ptr %x
  %fails.u = icmp eq i32 %v.u, %k.u
  br i1 %fails.u, label %out, label %on.u
on.u:
  %next.u = add i32 %k.u, 8
  %more.u = icmp ne i32 %next.u, %n
  br i1 %more.u, label %body.u, label %other, !llvm.loop !2
other:
  br label %body.other
body.other:
  %k.other = phi i32 [ %first, %other ], [ %next.other, %on.other ]
  %v.other = load volatile i32, ptr %x
  %fails.other = icmp eq i32 %v.other, %k.other
  br i1 %fails.other, label %out, label %on.other
on.other:
  %next.other = add i32 %k.other, 8
  %more.other = icmp ne i32 %next.other, %n
  br i1 %more.other, label %body.other, label %out
out:
  ret void
}
!0 = distinct !{!0, !1}
!1 = !{!"kdsl.ordered.by.sign"}
!2 = distinct !{!2, !3}
!3 = !{!"kdsl.ordered"}
