; A product of vectors of bytes becomes products of bytes; of words it stays. LLVM 22 cannot select the sum below.
; RUN-PASS: split-byte-products --offload-arch=gfx90a
define amdgpu_kernel void @k(<2 x i8> %a, <2 x i8> %b, <2 x i16> %c, ptr %to) {
; CHECK-LABEL: @k(
; CHECK-NOT: mul <2 x i8>
; CHECK-COUNT-2: mul i8
; CHECK-NOT: mul i8
; CHECK: [[ALL:%.*]] = insertelement <2 x i8> {{%.*}}, i8 {{%.*}}, i32 1
; CHECK-NEXT: shufflevector <2 x i8> [[ALL]]
; CHECK: mul <2 x i16>
  %p = mul <2 x i8> %a, %b
  %q = shufflevector <2 x i8> %p, <2 x i8> poison, <2 x i32> <i32 1, i32 0>
  %s = add <2 x i8> %p, %q
  %w = mul <2 x i16> %c, %c
  store <2 x i8> %s, ptr %to
  store <2 x i16> %w, ptr %to
  ret void
}
