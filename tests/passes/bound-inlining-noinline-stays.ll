; What is not to be inlined anyway does not count: neither its size nor its levels.
; RUN-PASS: bound-inlining --march=x86-64-v3
define internal void @fn.big() noinline {
  fence seq_cst
  ret void
}
define internal void @fn.a() alwaysinline {
; CHECK: define internal void @fn.a() [[INLINED:#[0-9]+]] {
  call void @fn.big()
  call void @fn.big()
  ret void
}
define void @kernel(ptr %f) {
  call void @fn.a()
  call void %f()
  call void asm sideeffect "", ""()
  call void @fn.a()
  ret void
}
; CHECK: attributes [[INLINED]] = { alwaysinline }
; CHECK-NOT: kdsl-kept-call
