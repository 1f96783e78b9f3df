; `a and then b` as lanes freezes b: where a is false, b may be poison, and the lane is 0 all the same.
; RUN-PASS: lower-masks --march=x86-64-v3
define <8 x i32> @and_then(<8 x i32> %a, <8 x i32> %b) {
; CHECK-LABEL: @and_then(
; CHECK: [[B:%[0-9]+]] = freeze <8 x i32> %b
; CHECK-NEXT: [[BOTH:%[0-9]+]] = and <8 x i32> %a, [[B]]
; CHECK: ret <8 x i32> [[BOTH]]
  %a1 = call <8 x i1> @kdsl.mask.bits.8x32(<8 x i32> %a)
  %b1 = call <8 x i1> @kdsl.mask.bits.8x32(<8 x i32> %b)
  %both = select <8 x i1> %a1, <8 x i1> %b1, <8 x i1> zeroinitializer
  %lanes = call <8 x i32> @kdsl.mask.lanes.8x32(<8 x i1> %both)
  ret <8 x i32> %lanes
}
define <8 x i32> @other_choice(<8 x i32> %a, <8 x i1> %b) {
; CHECK-LABEL: @other_choice(
; CHECK: [[EITHER:%[a-z]+]] = select <8 x i1> {{%.*}}, <8 x i1> splat (i1 true), <8 x i1> %b
; CHECK: sext <8 x i1> [[EITHER]] to <8 x i32>
  %a1 = call <8 x i1> @kdsl.mask.bits.8x32(<8 x i32> %a)
  %either = select <8 x i1> %a1, <8 x i1> splat (i1 true), <8 x i1> %b
  %lanes = call <8 x i32> @kdsl.mask.lanes.8x32(<8 x i1> %either)
  ret <8 x i32> %lanes
}
declare <8 x i1> @kdsl.mask.bits.8x32(<8 x i32>)
declare <8 x i32> @kdsl.mask.lanes.8x32(<8 x i1>)
