; Of several conversions through one function, those of constants are folded and the others stay.
; RUN-PASS: fold-masks --march=x86-64-v3
define <2 x i64> @both(<2 x i1> %m) {
; CHECK-LABEL: @both(
; CHECK-NEXT: %b = call <2 x i64> @kdsl.mask.lanes.2x64(<2 x i1> %m)
; CHECK-NEXT: %ab = and <2 x i64> splat (i64 -1), %b
; CHECK-NEXT: %abc = or <2 x i64> %ab, zeroinitializer
; CHECK-NEXT: ret <2 x i64> %abc
  %a = call <2 x i64> @kdsl.mask.lanes.2x64(<2 x i1> splat (i1 true))
  %b = call <2 x i64> @kdsl.mask.lanes.2x64(<2 x i1> %m)
  %c = call <2 x i64> @kdsl.mask.lanes.2x64(<2 x i1> zeroinitializer)
  %ab = and <2 x i64> %a, %b
  %abc = or <2 x i64> %ab, %c
  ret <2 x i64> %abc
}
declare <2 x i64> @kdsl.mask.lanes.2x64(<2 x i1>)
