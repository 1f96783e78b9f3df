; The bits of a mask in lanes are the lanes' signs, one comparison that every vector unit has.
; RUN-PASS: lower-masks --march=x86-64-v3
define <8 x i1> @bits(<8 x i32> %m) {
; CHECK-LABEL: @bits(
; CHECK-NEXT: %1 = icmp slt <8 x i32> %m, zeroinitializer
; CHECK-NEXT: ret <8 x i1> %1
  %bits = call <8 x i1> @kdsl.mask.bits.8x32(<8 x i32> %m)
  ret <8 x i1> %bits
}
define <8 x i32> @lanes(<8 x i1> %m) {
; CHECK-LABEL: @lanes(
; CHECK-NEXT: %1 = sext <8 x i1> %m to <8 x i32>
; CHECK-NEXT: ret <8 x i32> %1
  %lanes = call <8 x i32> @kdsl.mask.lanes.8x32(<8 x i1> %m)
  ret <8 x i32> %lanes
}
; CHECK-NOT: @kdsl.mask
declare <8 x i1> @kdsl.mask.bits.8x32(<8 x i32>)
declare <8 x i32> @kdsl.mask.lanes.8x32(<8 x i1>)
