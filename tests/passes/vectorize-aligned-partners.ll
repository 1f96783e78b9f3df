; Partners at `i ^ gap` lie side by side where the gap is a block or more, which is asked before the loop.
; RUN-PASS: vectorize --march=x86-64-v4
; CHECK: and i64 %gap, {{15|31|63}}
; CHECK: icmp eq i64
; CHECK: br i1 {{%.*}}, label %version, label %else
; CHECK: vectors:
; CHECK: [[AT:%.*]] = xor i64 {{%.*}}, %gap
; CHECK: load <16 x float>
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
