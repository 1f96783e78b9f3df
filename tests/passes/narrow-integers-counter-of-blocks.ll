; The counter of a loop that is left where it is equal to its end has 32 bits if it does not pass the end, as a mark says,
; and so has what is left of the iterations for the next loop. Without the mark it has 64.
; RUN-PASS: narrow-integers --offload-arch=sm_80
define i64 @kdsl_narrow_k(ptr %x, i64 range(i64 0, 2147418113) %trips) "kdsl-narrow" {
; CHECK-LABEL: @kdsl_narrow_k(
; CHECK: block:
; CHECK-NEXT: phi i32
; CHECK: icmp ne i32
; CHECK: call i32 @llvm.usub.sat.i32
; CHECK: body:
; CHECK-NEXT: %j = phi i64
; CHECK: icmp ne i64 %j.next,
entry:
  %whole = and i64 %trips, 2147483640
  %some = icmp ne i64 %whole, 0
  br i1 %some, label %block, label %rest
block:
  %k = phi i64 [ 0, %entry ], [ %k.next, %block ]
  %v = load volatile i32, ptr %x
  %k.next = add nuw nsw i64 %k, 8
  %more = icmp ne i64 %k.next, %whole
  br i1 %more, label %block, label %rest, !llvm.loop !0
rest:
  %begin = phi i64 [ 0, %entry ], [ %k.next, %block ]
  %left = call i64 @llvm.usub.sat.i64(i64 %trips, i64 %begin)
  %far = and i64 %left, 2147483644
  br label %body
body:
  %j = phi i64 [ %begin, %rest ], [ %j.next, %body ]
  %w = load volatile i32, ptr %x
  %j.next = add nuw nsw i64 %j, 4
  %again = icmp ne i64 %j.next, %far
  br i1 %again, label %body, label %done
done:
  ret i64 %j
}
!0 = distinct !{!0, !1}
!1 = !{!"kdsl.ordered"}
