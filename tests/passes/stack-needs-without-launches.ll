; A module without a launch is left as it is.
; RUN-PASS: stack-needs --march=x86-64-v3
define void @alone() {
; CHECK-LABEL: define void @alone(
; CHECK-NEXT: %a = alloca [64 x i8]
; CHECK-NEXT: ret void
  %a = alloca [64 x i8]
  ret void
}
