; A built-in function with a vector form is called once for a vector, with its flags.
; RUN-PASS: vectorize --march=x86-64-v3
; CHECK: vectors:
; CHECK: call nnan <8 x float> @llvm.sqrt.v8f32(
; CHECK: call <8 x float> @llvm.fma.v8f32(
define void @f(ptr noalias %x, ptr noalias %y, i64 %n) {
entry:
  br label %head
head:
  %i = phi i64 [ 0, %entry ], [ %next, %latch ]
  %more = icmp slt i64 %i, %n
  br i1 %more, label %body, label %done
body:
  %p = getelementptr float, ptr %x, i64 %i
  %v = load float, ptr %p, align 4
  %r = call nnan float @llvm.sqrt.f32(float %v)
  %d = call float @llvm.fma.f32(float %r, float %v, float 1.0)
  %q = getelementptr float, ptr %y, i64 %i
  store float %d, ptr %q, align 4
  br label %latch
latch:
  %next = add nsw i64 %i, 1
  br label %head, !kdsl.items !0
done:
  ret void
}
declare float @llvm.sqrt.f32(float)
declare float @llvm.fma.f32(float, float, float)
!0 = !{}
