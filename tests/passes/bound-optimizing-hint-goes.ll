; A hint to inline goes where a function is not optimised: optnone demands noinline.
; RUN-PASS: bound-optimizing --march=x86-64-v3
define internal void @hinted() inlinehint nounwind {
; CHECK: define internal void @hinted() [[HINTED:#[0-9]+]] {
  br label %end
end:
  ret void
}
define internal void @always() alwaysinline {
; CHECK: define internal void @always() [[ALWAYS:#[0-9]+]] {
  br label %end
end:
  ret void
}
; CHECK: attributes [[HINTED]] = { noinline nounwind optnone }
; CHECK: attributes [[ALWAYS]] = { noinline optnone }
!llvm.module.flags = !{!0}
!0 = !{i32 1, !"kdsl.most.optimized", i32 1}
