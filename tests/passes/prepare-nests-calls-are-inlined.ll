; What a loop over items calls is inlined, so that it can become vector code; the loop keeps its mark.
; RUN-PASS: prepare-nests --march=x86-64-v3
define internal float @twice(float %v) alwaysinline {
  %r = fadd float %v, %v
  ret float %r
}
define void @f(ptr noalias %x, i64 %n) {
; CHECK: define void @f({{.*}}) [[NESTS:#[0-9]+]] {
; CHECK-NOT: call
; CHECK: fadd float
; CHECK: br label %head, !kdsl.items
; CHECK: attributes [[NESTS]] = { "kdsl-nests" {{.*}}"prefer-vector-width"="256" }
entry:
  br label %head
head:
  %i = phi i64 [ 0, %entry ], [ %next, %latch ]
  %more = icmp slt i64 %i, %n
  br i1 %more, label %body, label %done
body:
  %p = getelementptr float, ptr %x, i64 %i
  %v = load float, ptr %p, align 4
  %r = call float @twice(float %v)
  store float %r, ptr %p, align 4
  br label %latch
latch:
  %next = add nsw i64 %i, 1
  br label %head, !kdsl.items !0
done:
  ret void
}
!0 = !{}
