; Instructions whose result is known go: a choice by a constant, and with all lanes.
; RUN-PASS: clean-nests --march=x86-64-v3
define <4 x i32> @known(<4 x i32> %a, <4 x i32> %b, <4 x i1> %m) "kdsl-nests" {
; CHECK-LABEL: @known(
; CHECK-NEXT: [[R:%.*]] = select <4 x i1> %m, <4 x i32> %a, <4 x i32> %b
; CHECK-NEXT: ret <4 x i32> [[R]]
  %all = and <4 x i1> %m, splat (i1 true)
  %s = select <4 x i1> splat (i1 true), <4 x i32> %a, <4 x i32> %b
  %z = add <4 x i32> %s, zeroinitializer
  %r = select <4 x i1> %all, <4 x i32> %z, <4 x i32> %b
  ret <4 x i32> %r
}
