; A loop that the language wants as it is, and one with a few iterations, stay marked. A loop that something else may end
; compares its counter as before: it may pass the end.
; RUN-PASS: release-loops --offload-arch=sm_80
define void @k(ptr %x, i32 %n) {
; CHECK-LABEL: @k(
; CHECK: %more = icmp ne i32 %next, %n
; CHECK: br i1 %more, label %body, label %few, !llvm.loop [[ROLLED:![0-9]+]]
; CHECK: br i1 %again, label %few, label %out, !llvm.loop [[FEW:![0-9]+]]
; CHECK-DAG: [[ROLLED]] = distinct !{[[ROLLED]], [[MARK:![0-9]+]], !{{[0-9]+}}}
; CHECK-DAG: [[FEW]] = distinct !{[[FEW]], [[MARK]]}
; CHECK-DAG: [[MARK]] = !{!"llvm.loop.unroll.disable"}
entry:
  br label %body
body:
  %k = phi i32 [ 0, %entry ], [ %next, %rest ]
  %wide = sext i32 %k to i64
  %p = getelementptr i32, ptr %x, i64 %wide
  %v = load i32, ptr %p
  %stop = icmp eq i32 %v, 0
  br i1 %stop, label %out, label %rest
rest:
  %next = add nuw i32 %k, 4
  %more = icmp ne i32 %next, %n
  br i1 %more, label %body, label %few, !llvm.loop !0
few:
  %j = phi i32 [ 0, %rest ], [ %up, %few ]
  %j.wide = sext i32 %j to i64
  %q = getelementptr i32, ptr %x, i64 %j.wide
  store i32 0, ptr %q
  %up = add nuw nsw i32 %j, 1
  %again = icmp ult i32 %up, 3
  br i1 %again, label %few, label %out, !llvm.loop !3
out:
  ret void
}
!0 = distinct !{!0, !1, !2}
!1 = !{!"llvm.loop.unroll.disable"}
!2 = !{!"kdsl.rolled"}
!3 = distinct !{!3, !1}
