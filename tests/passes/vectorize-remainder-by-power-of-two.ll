; The divisor is the same for all items. Where it is a power of two, the remainder of numbers without a sign is a mask;
; otherwise it is what a quotient of floating point leaves.
; RUN-PASS: vectorize --march=x86-64-v3
; CHECK: vectors:
; CHECK: [[D:%.*]] = freeze i32 %d
; CHECK: [[LOW:%.*]] = sub i32 [[D]], 1
; CHECK: [[REST:%.*]] = and i32 [[D]], [[LOW]]
; CHECK: icmp eq i32 [[REST]], 0
; CHECK: icmp sgt i32 [[D]], 0
; CHECK: br i1 %power{{.*}}, label %[[SHIFT:.*]], label %[[DIVIDE:.*]]
; CHECK: [[SHIFT]]:
; CHECK: and <8 x i32>
; CHECK-NOT: shr
; CHECK: [[DIVIDE]]:
; CHECK: fdiv <8 x double>
define void @f(ptr noalias %x, ptr noalias %y, i64 %n, i32 %d) {
entry:
  br label %head
head:
  %i = phi i64 [ 0, %entry ], [ %next, %latch ]
  %more = icmp slt i64 %i, %n
  br i1 %more, label %body, label %done
body:
  %p = getelementptr i32, ptr %x, i64 %i
  %v = load i32, ptr %p, align 4
  %w = urem i32 %v, %d
  %q = getelementptr i32, ptr %y, i64 %i
  store i32 %w, ptr %q, align 4
  br label %latch
latch:
  %next = add nsw i64 %i, 1
  br label %head, !kdsl.items !0
done:
  ret void
}
!0 = !{}
