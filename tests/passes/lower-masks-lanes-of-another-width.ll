; Lanes of another width are made from the bits: 64-bit lanes are not 32-bit lanes.
; RUN-PASS: lower-masks --march=x86-64-v3
define <4 x i32> @narrow(<4 x i64> %m) {
; CHECK-LABEL: @narrow(
; CHECK: [[BITS:%[0-9]+]] = icmp slt <4 x i64> %m, zeroinitializer
; CHECK-NEXT: [[LANES:%[0-9]+]] = sext <4 x i1> [[BITS]] to <4 x i32>
; CHECK-NEXT: ret <4 x i32> [[LANES]]
  %bits = call <4 x i1> @kdsl.mask.bits.4x64(<4 x i64> %m)
  %lanes = call <4 x i32> @kdsl.mask.lanes.4x32(<4 x i1> %bits)
  ret <4 x i32> %lanes
}
declare <4 x i1> @kdsl.mask.bits.4x64(<4 x i64>)
declare <4 x i32> @kdsl.mask.lanes.4x32(<4 x i1>)
