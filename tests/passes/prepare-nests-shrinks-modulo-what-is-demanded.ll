; A product of 32 bits of which 16 are stored is computed modulo 2^16; the factor that is the same for all items is
; truncated once, before the loop.
; RUN-PASS: prepare-nests --march=x86-64-v3
; CHECK: entry:
; CHECK: [[K:%.*]] = trunc i32 %k to i16
; CHECK: mul i16
; CHECK: mul i16
; CHECK: lshr i16
; CHECK-NOT: i32 %v
define void @f(ptr noalias %x, ptr noalias %y, ptr noalias %o, i32 %k, i64 %n) {
entry:
  br label %head
head:
  %i = phi i64 [ 0, %entry ], [ %next, %latch ]
  %more = icmp slt i64 %i, %n
  br i1 %more, label %body, label %done
body:
  %px = getelementptr i16, ptr %x, i64 %i
  %py = getelementptr i16, ptr %y, i64 %i
  %po = getelementptr i16, ptr %o, i64 %i
  %bx = load i16, ptr %px, align 1
  %by = load i16, ptr %py, align 1
  %vx = zext i16 %bx to i32
  %vy = zext i16 %by to i32
  %a = mul i32 %vx, %k
  %b = mul i32 %vy, 77
  %s = add i32 %a, %b
  %h = lshr i32 %s, 8
  %r = trunc i32 %h to i8
  %z = zext i8 %r to i16
  store i16 %z, ptr %po, align 2
  br label %latch
latch:
  %next = add nsw i64 %i, 1
  br label %head, !kdsl.items !0
done:
  ret void
}
!0 = !{}
