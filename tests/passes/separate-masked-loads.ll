; RUN-PASS: separate-masked-loads --march=x86-64-v4
; What is loaded under the mask of a selection stays apart from the operation, a register at a time; other masks, and loads that
; are selected themselves, are left.
; CHECK-LABEL: @same(
; CHECK: %l = call <16 x i32> @llvm.masked.load
; CHECK: %[[A:.*]] = call <16 x i32> asm "", "=v,0"(<16 x i32> %l)
; CHECK: xor <16 x i32> %[[A]], %x
define <16 x i32> @same(ptr %p, <16 x i1> %m, <16 x i32> %x) {
  %l = call <16 x i32> @llvm.masked.load.v16i32.p0(ptr align 4 %p, <16 x i1> %m, <16 x i32> zeroinitializer)
  %o = xor <16 x i32> %l, %x
  %s = select <16 x i1> %m, <16 x i32> %o, <16 x i32> %x
  ret <16 x i32> %s
}

; CHECK-LABEL: @wide(
; CHECK: call <8 x double> asm "", "=v,0"(
; CHECK: call <8 x double> asm "", "=v,0"(
; CHECK: fadd <16 x double>
define <16 x double> @wide(ptr %p, <16 x i1> %m, <16 x double> %x) {
  %l = call <16 x double> @llvm.masked.load.v16f64.p0(ptr align 8 %p, <16 x i1> %m, <16 x double> zeroinitializer)
  %o = fadd <16 x double> %x, %l
  %s = select <16 x i1> %m, <16 x double> %o, <16 x double> %x
  ret <16 x double> %s
}

; CHECK-LABEL: @others(
; CHECK-NOT: asm
; CHECK: ret
define <16 x i32> @others(ptr %p, <16 x i1> %m, <16 x i1> %other, <16 x i32> %x) {
  %l = call <16 x i32> @llvm.masked.load.v16i32.p0(ptr align 4 %p, <16 x i1> %other, <16 x i32> zeroinitializer)
  %o = add <16 x i32> %l, %x
  %s = select <16 x i1> %m, <16 x i32> %o, <16 x i32> %x
  %k = call <16 x i32> @llvm.masked.load.v16i32.p0(ptr align 4 %p, <16 x i1> %m, <16 x i32> %s)
  %t = select <16 x i1> %m, <16 x i32> %k, <16 x i32> %x
  ret <16 x i32> %t
}

; CHECK-LABEL: @halves(
; CHECK: call <16 x i16> asm "", "=v,0"(
; CHECK: bitcast <16 x i16> {{.*}} to <16 x half>
; CHECK: fadd <16 x half>
define <16 x half> @halves(ptr %p, <16 x i1> %m, <16 x half> %x) {
  %l = call <16 x half> @llvm.masked.load.v16f16.p0(ptr align 2 %p, <16 x i1> %m, <16 x half> zeroinitializer)
  %o = fadd <16 x half> %l, %x
  %s = select <16 x i1> %m, <16 x half> %o, <16 x half> %x
  ret <16 x half> %s
}

; CHECK-LABEL: @bytes(
; CHECK: call <16 x i8> asm "", "=v,0"(
; CHECK: zext <8 x i8>
define <8 x i32> @bytes(ptr %p, <8 x i1> %m, <8 x i32> %x) {
  %l = call <8 x i8> @llvm.masked.load.v8i8.p0(ptr align 1 %p, <8 x i1> %m, <8 x i8> zeroinitializer)
  %o = zext <8 x i8> %l to <8 x i32>
  %s = select <8 x i1> %m, <8 x i32> %o, <8 x i32> %x
  ret <8 x i32> %s
}

; A sum that is not used otherwise: LLVM makes no copy of it.
; CHECK-LABEL: @used_up(
; CHECK-NOT: asm
; CHECK: ret
define <16 x i32> @used_up(ptr %p, <16 x i1> %m, i1 %any, <16 x i32> %a, <16 x i32> %b) {
entry:
  %sum = mul <16 x i32> %a, %b
  %kept = select <16 x i1> %m, <16 x i32> undef, <16 x i32> %sum
  br i1 %any, label %live, label %done
live:
  %l = call <16 x i32> @llvm.masked.load.v16i32.p0(ptr align 4 %p, <16 x i1> %m, <16 x i32> zeroinitializer)
  %o = add <16 x i32> %l, %sum
  %s = select <16 x i1> %m, <16 x i32> %o, <16 x i32> %sum
  br label %done
done:
  %r = phi <16 x i32> [ %s, %live ], [ %kept, %entry ]
  ret <16 x i32> %r
}

; CHECK-LABEL: @used_later(
; CHECK: asm
; CHECK: ret
define <16 x i32> @used_later(ptr %p, <16 x i1> %m, <16 x i32> %a, <16 x i32> %b) {
  %sum = mul <16 x i32> %a, %b
  %l = call <16 x i32> @llvm.masked.load.v16i32.p0(ptr align 4 %p, <16 x i1> %m, <16 x i32> zeroinitializer)
  %o = add <16 x i32> %l, %sum
  %s = select <16 x i1> %m, <16 x i32> %o, <16 x i32> %sum
  %r = xor <16 x i32> %s, %sum
  ret <16 x i32> %r
}

declare <8 x i8> @llvm.masked.load.v8i8.p0(ptr, <8 x i1>, <8 x i8>)
declare <16 x i32> @llvm.masked.load.v16i32.p0(ptr, <16 x i1>, <16 x i32>)
declare <16 x double> @llvm.masked.load.v16f64.p0(ptr, <16 x i1>, <16 x double>)
declare <16 x half> @llvm.masked.load.v16f16.p0(ptr, <16 x i1>, <16 x half>)
