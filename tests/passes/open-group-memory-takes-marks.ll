; The mark of functions with loops over items goes, also where no group has memory; other attributes stay.
; RUN-PASS: open-group-memory --march=x86-64-v3
define void @plain() "kdsl-nests" "kdsl-reported" noinline {
; CHECK: define void @plain() [[PLAIN:#[0-9]+]] {
  ret void
}
; CHECK: attributes [[PLAIN]] = { noinline "kdsl-reported" }
; CHECK-NOT: kdsl-nests
