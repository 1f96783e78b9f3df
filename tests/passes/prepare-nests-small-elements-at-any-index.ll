; The place of a byte in its word is known at run time only: the shift is computed.
; RUN-PASS: prepare-nests --march=x86-64-v3
; CHECK-NOT: store i8
; CHECK-NOT: load i8
; CHECK: and i64 {{.*}}, -4
; CHECK: mul i32 {{.*}}, 8
; CHECK: shl i32 255, %
define void @f(ptr noalias %x, i64 %n) {
entry:
  %s = alloca { i32, [8 x i8] }, align 8
  br label %head
head:
  %i = phi i64 [ 0, %entry ], [ %next, %latch ]
  %more = icmp slt i64 %i, %n
  br i1 %more, label %body, label %done
body:
  %px = getelementptr i32, ptr %x, i64 %i
  %v = load i32, ptr %px, align 4
  %k = and i32 %v, 1
  %j = zext i32 %k to i64
  %t = trunc i32 %v to i8
  store i32 %v, ptr %s, align 8
  %b = getelementptr inbounds i8, ptr %s, i64 4
  %bk = getelementptr inbounds i8, ptr %b, i64 %j
  store i8 0, ptr %b, align 4
  store i8 %t, ptr %bk, align 1
  %now = load i8, ptr %b, align 4
  %wide = zext i8 %now to i32
  %first = load i32, ptr %s, align 8
  %r = add i32 %wide, %first
  store i32 %r, ptr %px, align 4
  br label %latch
latch:
  %next = add nsw i64 %i, 1
  br label %head, !kdsl.items !0
done:
  ret void
}
!0 = !{}
