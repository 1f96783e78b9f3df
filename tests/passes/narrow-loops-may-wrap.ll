; A sum that may wrap is not a straight line: 2 * i + 1 in 32 bits, as the language has it. Without wrap it is one.
; RUN-PASS: narrow-loops --march=x86-64-v3
; CHECK: [[HI:%.*]] = trunc nsw i128
; CHECK: icmp slt i64 {{%.*}}, [[HI]]
; CHECK: %c1 = icmp slt i32 %w1, %n
; CHECK: br i1 %c1, label %second, label %latch
; CHECK: second:
; CHECK-NOT: icmp
; CHECK: store
define void @f(ptr noalias %c, ptr noalias %a, i64 %lo, i64 %hi, i32 %n) {
entry:
  br label %head
head:
  %i = phi i64 [ %lo, %entry ], [ %next, %latch ]
  %more = icmp slt i64 %i, %hi
  br i1 %more, label %item, label %done
item:
  %t = trunc nsw i64 %i to i32
  %w = shl i32 %t, 1
  %w1 = or disjoint i32 %w, 1
  %c1 = icmp slt i32 %w1, %n
  br i1 %c1, label %second, label %latch
second:
  %s = shl nsw i32 %t, 1
  %s1 = or disjoint i32 %s, 1
  %c2 = icmp slt i32 %s1, %n
  br i1 %c2, label %then, label %latch
then:
  %p = getelementptr i32, ptr %c, i64 %i
  store i32 1, ptr %p, align 4
  br label %latch
latch:
  %next = add nuw nsw i64 %i, 1
  br label %head, !kdsl.items !0
done:
  ret void
}
!0 = !{}
