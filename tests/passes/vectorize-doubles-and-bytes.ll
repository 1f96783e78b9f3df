; The lanes are as many as elements of the widest type fit: with an f64 in it, 8 and not 16.
; RUN-PASS: vectorize --march=x86-64-v4
; CHECK: vectors:
; CHECK: load <8 x i8>
; CHECK: uitofp <8 x i8> {{%.*}} to <8 x double>
; CHECK: store <8 x double>
define void @f(ptr noalias %x, ptr noalias %y, i64 %n) {
entry:
  br label %head
head:
  %i = phi i64 [ 0, %entry ], [ %next, %latch ]
  %more = icmp slt i64 %i, %n
  br i1 %more, label %body, label %done
body:
  %p = getelementptr i8, ptr %x, i64 %i
  %v = load i8, ptr %p, align 1
  %d = uitofp i8 %v to double
  %q = getelementptr double, ptr %y, i64 %i
  store double %d, ptr %q, align 8
  br label %latch
latch:
  %next = add nsw i64 %i, 1
  br label %head, !kdsl.items !0
done:
  ret void
}
!0 = !{}
