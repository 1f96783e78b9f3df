; What the loop leaves with comes along on both ways out of it.
; RUN-PASS: thread-loop-exits
; CHECK: br i1 %few, label %and, label %after
; CHECK: after:
; CHECK: %last = phi float [ %z, %meet ], [ %z, %loop ]
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
  br label %loop
loop:
  %k = phi i32 [ 0, %body ], [ %k1, %add ]
  %z = phi float [ 0.0, %body ], [ %z2, %add ]
  %few = icmp slt i32 %k, 256
  br i1 %few, label %and, label %meet
and:
  %zz = fmul float %z, %z
  %small = fcmp ole float %zz, 4.0
  br label %meet
meet:
  %goes = phi i1 [ false, %loop ], [ %small, %and ]
  br i1 %goes, label %add, label %after
add:
  %z1 = fmul float %z, %z
  %z2 = fadd float %z1, %v
  %k1 = add nsw i32 %k, 1
  br label %loop
after:
  %last = phi float [ %z, %meet ]
  %q = getelementptr i32, ptr %y, i64 %i
  %bits = fptosi float %last to i32
  store i32 %bits, ptr %q, align 4
  br label %latch
latch:
  %next = add nsw i64 %i, 1
  br label %head, !kdsl.items !0
done:
  ret void
}
!0 = !{}
