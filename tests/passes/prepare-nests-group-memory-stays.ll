; A group's memory is not made values of: it is hidden until the loops over items are vector code.
; RUN-PASS: prepare-nests --march=x86-64-v3
define void @f(ptr noalias %x, i64 %n) {
; CHECK-LABEL: define void @f(
; CHECK: call ptr @kdsl.group.memory(
; CHECK: store float 1.000000e+00, ptr %m
; CHECK: load float, ptr %q
entry:
  %at = alloca [4 x float], align 16
  %m = call ptr @kdsl.group.memory(ptr %at)
  store float 1.0, ptr %m, align 4
  br label %head
head:
  %i = phi i64 [ 0, %entry ], [ %next, %latch ]
  %more = icmp slt i64 %i, %n
  br i1 %more, label %body, label %done
body:
  %p = getelementptr float, ptr %x, i64 %i
  %q = getelementptr float, ptr %m, i64 %i
  %v = load float, ptr %q, align 4
  store float %v, ptr %p, align 4
  br label %latch
latch:
  %next = add nsw i64 %i, 1
  br label %head, !kdsl.items !0
done:
  ret void
}
declare ptr @kdsl.group.memory(ptr)
!0 = !{}
