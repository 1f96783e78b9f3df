; Without masked gathers, lanes that are no items read a place that is always there, and holds zeros: with other bits their arithmetic
; might be slow (subnormal numbers).
; RUN-PASS: vectorize --march=x86-64-v3
; CHECK: @kdsl.nowhere = private constant [64 x i8] zeroinitializer, align 64
; CHECK: [[AT:%.*]] = getelementptr double, ptr %x, <4 x i64>
; CHECK: select <4 x i1> {{%.*}}, <4 x ptr> [[AT]], <4 x ptr>
; CHECK-COUNT-4: load double, ptr
; CHECK-NOT: gather
define void @f(ptr noalias %x, ptr noalias %at, ptr noalias %y, i64 %n) {
entry:
  br label %head
head:
  %i = phi i64 [ 0, %entry ], [ %next, %latch ]
  %more = icmp slt i64 %i, %n
  br i1 %more, label %body, label %done
body:
  %p = getelementptr i64, ptr %at, i64 %i
  %k = load i64, ptr %p, align 8
  %q = getelementptr double, ptr %x, i64 %k
  %v = load double, ptr %q, align 8
  %s = fmul double %v, %v
  %t = fadd double %s, %v
  %r = getelementptr double, ptr %y, i64 %i
  store double %t, ptr %r, align 8
  br label %latch
latch:
  %next = add nsw i64 %i, 1
  br label %head, !kdsl.items !0
done:
  ret void
}
!0 = !{}
