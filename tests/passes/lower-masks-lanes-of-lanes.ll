; The conversion of a mask to bits and back to lanes of the same width is the mask itself.
; RUN-PASS: lower-masks --march=x86-64-v3
define <8 x i32> @twice(<8 x i32> %m) {
; CHECK-LABEL: @twice(
; CHECK-NOT: sext
; CHECK: ret <8 x i32> %m
  %bits = call <8 x i1> @kdsl.mask.bits.8x32(<8 x i32> %m)
  %lanes = call <8 x i32> @kdsl.mask.lanes.8x32(<8 x i1> %bits)
  ret <8 x i32> %lanes
}
declare <8 x i1> @kdsl.mask.bits.8x32(<8 x i32>)
declare <8 x i32> @kdsl.mask.lanes.8x32(<8 x i1>)
