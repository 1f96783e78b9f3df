; Without vector loads by index, code for gaps that are shorter than a vector is estimated to be slower than the scalar loop,
; which is kept for them: neither test holds.
; RUN-PASS: vectorize --march=x86-64-v2
; CHECK: head:
; CHECK: phi i64 [ 0, %[[REST:else[0-9]+]] ], [ %next, %latch ]
; CHECK: br i1 {{%.*}}, label %version, label %else
; CHECK: br i1 {{%.*}}, label %{{version[0-9]+}}, label %[[REST]]
; CHECK: load <4 x float>
; CHECK: {{^}}[[REST]]:
; CHECK: br label %head
define void @f(ptr noalias %x, ptr noalias %y, i64 %gap, i64 %n) {
entry:
  br label %head
head:
  %i = phi i64 [ 0, %entry ], [ %next, %latch ]
  %more = icmp slt i64 %i, %n
  br i1 %more, label %body, label %done
body:
  %at = xor i64 %i, %gap
  %p = getelementptr float, ptr %x, i64 %at
  %v = load float, ptr %p, align 4
  %q = getelementptr float, ptr %y, i64 %i
  store float %v, ptr %q, align 4
  br label %latch
latch:
  %next = add nsw i64 %i, 1
  br label %head, !kdsl.items !0
done:
  ret void
}
!0 = !{}
