; A poison mask folds to poison lanes, and a module without conversions is left as it is.
; RUN-PASS: fold-masks --march=x86-64-v3
define <4 x i32> @poison() {
; CHECK-LABEL: @poison(
; CHECK-NEXT: ret <4 x i32> poison
  %lanes = call <4 x i32> @kdsl.mask.lanes.4x32(<4 x i1> poison)
  ret <4 x i32> %lanes
}
define <4 x i1> @one_lane() {
; CHECK-LABEL: @one_lane(
; CHECK-NEXT: ret <4 x i1> <i1 poison, i1 true, i1 poison, i1 false>
  %bits = call <4 x i1> @kdsl.mask.bits.4x32(<4 x i32> <i32 poison, i32 -1, i32 poison, i32 0>)
  ret <4 x i1> %bits
}
define void @nothing() {
; CHECK-LABEL: @nothing(
; CHECK-NEXT: ret void
  ret void
}
declare <4 x i32> @kdsl.mask.lanes.4x32(<4 x i1>)
declare <4 x i1> @kdsl.mask.bits.4x32(<4 x i32>)
