; A mask that is not constant keeps its conversion: LLVM would carry its bits instead of its lanes.
; RUN-PASS: fold-masks --march=x86-64-v3
define <4 x i32> @keep(<4 x i1> %m) {
; CHECK-LABEL: @keep(
; CHECK: %lanes = call <4 x i32> @kdsl.mask.lanes.4x32(<4 x i1> %m)
; CHECK-NEXT: ret <4 x i32> %lanes
  %lanes = call <4 x i32> @kdsl.mask.lanes.4x32(<4 x i1> %m)
  ret <4 x i32> %lanes
}
define <4 x i1> @computed(<4 x i32> %a, <4 x i32> %b) {
; CHECK-LABEL: @computed(
; CHECK: call <4 x i1> @kdsl.mask.bits.4x32(<4 x i32> %both)
  %both = and <4 x i32> %a, %b
  %bits = call <4 x i1> @kdsl.mask.bits.4x32(<4 x i32> %both)
  ret <4 x i1> %bits
}
; CHECK-DAG: declare <4 x i32> @kdsl.mask.lanes.4x32(<4 x i1>)
; CHECK-DAG: declare <4 x i1> @kdsl.mask.bits.4x32(<4 x i32>)
declare <4 x i32> @kdsl.mask.lanes.4x32(<4 x i1>)
declare <4 x i1> @kdsl.mask.bits.4x32(<4 x i32>)
