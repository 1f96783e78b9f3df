; An f32 becomes an i32 between its least and its greatest value, and a NaN becomes 0.
; RUN-PASS: vectorize --march=x86-64-v3
; CHECK: vectors:
; CHECK: [[V:%.*]] = load <8 x float>
; CHECK: fcmp ogt <8 x float> [[V]], splat (float 0xC1E0000000000000)
; CHECK: fptosi <8 x float> {{%.*}} to <8 x i32>
; CHECK: fcmp oge <8 x float> [[V]], splat (float 0x41E0000000000000)
; CHECK: select <8 x i1> {{%.*}}, <8 x i32> splat (i32 2147483647), <8 x i32>
; CHECK: [[NUMBER:%.*]] = fcmp ord <8 x float> [[V]], [[V]]
; CHECK: select <8 x i1> [[NUMBER]], <8 x i32> {{%.*}}, <8 x i32> zeroinitializer
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
  %d = call i32 @llvm.fptosi.sat.i32.f32(float %v)
  %q = getelementptr i32, ptr %y, i64 %i
  store i32 %d, ptr %q, align 4
  br label %latch
latch:
  %next = add nsw i64 %i, 1
  br label %head, !kdsl.items !0
done:
  ret void
}
declare i32 @llvm.fptosi.sat.i32.f32(float)
!0 = !{}
