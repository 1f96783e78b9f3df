; The constant leads on in the loop, not out of it: nothing changes.
; RUN-PASS: thread-loop-exits
; CHECK: br i1 %few, label %and, label %meet
; CHECK: %goes = phi i1 [ true, %loop ], [ %small, %and ]
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
  %goes = phi i1 [ true, %loop ], [ %small, %and ]
  br i1 %goes, label %add, label %after
add:
  %z1 = fmul float %z, %z
  %z2 = fadd float %z1, %v
  %k1 = add nsw i32 %k, 1
  br label %loop
after:
  %q = getelementptr i32, ptr %y, i64 %i
  store i32 %k, ptr %q, align 4
  br label %latch
latch:
  %next = add nsw i64 %i, 1
  br label %head, !kdsl.items !0
done:
  ret void
}
!0 = !{}
