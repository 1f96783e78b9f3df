; A slot that is read before anything is stored in it has no value: the result is undefined, and no memory stays.
; RUN-PASS: clean-nests --march=x86-64-v3
define <4 x i32> @unwritten() "kdsl-nests" {
; CHECK-LABEL: @unwritten(
; CHECK-NEXT: ret <4 x i32> {{undef|poison}}
  %slot = alloca <4 x i32>, align 16
  %v = load <4 x i32>, ptr %slot, align 16
  ret <4 x i32> %v
}
