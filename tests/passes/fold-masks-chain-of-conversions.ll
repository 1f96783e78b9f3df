; A constant that is converted to lanes and back to bits is the constant it was.
; RUN-PASS: fold-masks --march=x86-64-v3
define <8 x i1> @there_and_back() {
; CHECK-LABEL: @there_and_back(
; CHECK-NEXT: ret <8 x i1> <i1 true, i1 true, i1 true, i1 false, i1 false, i1 false, i1 false, i1 false>
  %lanes = call <8 x i32> @kdsl.mask.lanes.8x32(<8 x i1> <i1 1, i1 1, i1 1, i1 0, i1 0, i1 0, i1 0, i1 0>)
  %bits = call <8 x i1> @kdsl.mask.bits.8x32(<8 x i32> %lanes)
  ret <8 x i1> %bits
}
declare <8 x i32> @kdsl.mask.lanes.8x32(<8 x i1>)
declare <8 x i1> @kdsl.mask.bits.8x32(<8 x i32>)
