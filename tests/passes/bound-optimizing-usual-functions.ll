; Without a bound of the module's own, functions of the usual size keep their attributes.
; RUN-PASS: bound-optimizing --march=x86-64-v3
define internal void @a() alwaysinline {
; CHECK: define internal void @a() [[A:#[0-9]+]] {
  br label %end
end:
  ret void
}
define internal void @b() inlinehint {
; CHECK: define internal void @b() [[B:#[0-9]+]] {
  ret void
}
; CHECK: attributes [[A]] = { alwaysinline }
; CHECK: attributes [[B]] = { inlinehint }
