; A conversion of a constant mask becomes that constant, in both directions.
; RUN-PASS: fold-masks --march=x86-64-v3
define <4 x i32> @to_lanes() {
; CHECK-LABEL: @to_lanes(
; CHECK-NEXT: ret <4 x i32> <i32 -1, i32 0, i32 -1, i32 0>
  %lanes = call <4 x i32> @kdsl.mask.lanes.4x32(<4 x i1> <i1 true, i1 false, i1 true, i1 false>)
  ret <4 x i32> %lanes
}
define <4 x i1> @to_bits() {
; CHECK-LABEL: @to_bits(
; CHECK-NEXT: ret <4 x i1> <i1 false, i1 true, i1 false, i1 true>
  %bits = call <4 x i1> @kdsl.mask.bits.4x32(<4 x i32> <i32 0, i32 -1, i32 0, i32 -1>)
  ret <4 x i1> %bits
}
; A conversion that has been folded everywhere is declared no longer.
; CHECK-NOT: @kdsl.mask
declare <4 x i32> @kdsl.mask.lanes.4x32(<4 x i1>)
declare <4 x i1> @kdsl.mask.bits.4x32(<4 x i32>)
