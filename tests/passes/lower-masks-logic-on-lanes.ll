; Masks that are combined bit by bit are combined as lanes, without a way through bits.
; RUN-PASS: lower-masks --march=x86-64-v3
define <4 x i64> @combined(<4 x i64> %a, <4 x i64> %b, <4 x i1> %c) {
; CHECK-LABEL: @combined(
; CHECK: [[C:%[0-9]+]] = sext <4 x i1> %c to <4 x i64>
; CHECK-NEXT: [[AND:%[0-9]+]] = and <4 x i64> %b, [[C]]
; CHECK-NEXT: [[OR:%[0-9]+]] = or <4 x i64> %a, [[AND]]
; CHECK-NEXT: [[NOT:%[0-9]+]] = xor <4 x i64> [[OR]], splat (i64 -1)
; CHECK-NEXT: ret <4 x i64> [[NOT]]
  %a1 = call <4 x i1> @kdsl.mask.bits.4x64(<4 x i64> %a)
  %b1 = call <4 x i1> @kdsl.mask.bits.4x64(<4 x i64> %b)
  %and = and <4 x i1> %b1, %c
  %or = or <4 x i1> %a1, %and
  %not = xor <4 x i1> %or, splat (i1 true)
  %lanes = call <4 x i64> @kdsl.mask.lanes.4x64(<4 x i1> %not)
  ret <4 x i64> %lanes
}
declare <4 x i1> @kdsl.mask.bits.4x64(<4 x i64>)
declare <4 x i64> @kdsl.mask.lanes.4x64(<4 x i1>)
