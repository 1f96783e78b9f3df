; A chain of 25 calls has a call that stays, at the 24th level; those below are left to LLVM.
; RUN-PASS: bound-inlining --march=x86-64-v3
define internal void @f0() { ret void }
define internal void @f1() { call void @f0() ret void }
define internal void @f2() { call void @f1() ret void }
define internal void @f3() { call void @f2() ret void }
define internal void @f4() { call void @f3() ret void }
define internal void @f5() { call void @f4() ret void }
define internal void @f6() { call void @f5() ret void }
define internal void @f7() { call void @f6() ret void }
define internal void @f8() { call void @f7() ret void }
define internal void @f9() { call void @f8() ret void }
define internal void @f10() { call void @f9() ret void }
define internal void @f11() { call void @f10() ret void }
define internal void @f12() { call void @f11() ret void }
define internal void @f13() { call void @f12() ret void }
define internal void @f14() { call void @f13() ret void }
define internal void @f15() { call void @f14() ret void }
define internal void @f16() { call void @f15() ret void }
define internal void @f17() { call void @f16() ret void }
define internal void @f18() { call void @f17() ret void }
define internal void @f19() { call void @f18() ret void }
define internal void @f20() { call void @f19() ret void }
define internal void @f21() { call void @f20() ret void }
define internal void @f22() { call void @f21() ret void }
define internal void @f23() { call void @f22() ret void }
define internal void @f24() { call void @f23() ret void }
define internal void @f25() { call void @f24() ret void }
define void @kernel() { call void @f25() ret void }
; CHECK: define internal void @f23() {
; CHECK: define internal void @f24() [[KEPT:#[0-9]+]] {
; CHECK: define internal void @f25() {
; CHECK: attributes [[KEPT]] = { noinline "kdsl-kept-call"="f24" }
