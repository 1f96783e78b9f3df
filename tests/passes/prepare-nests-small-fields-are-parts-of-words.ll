; Fields of one byte and of four: the byte is part of a word, read with a shift and written with the rest of the word as
; it was.
; RUN-PASS: prepare-nests --march=x86-64-v3
; CHECK-NOT: store i8
; CHECK: freeze i32
; CHECK: and i32 {{.*}}, -65281
; CHECK: shl i32 {{.*}}, 8
; CHECK: or i32
; CHECK: store i32
; CHECK-NOT: load i8
; CHECK: lshr i32 {{.*}}, 8
; CHECK: trunc i32 {{.*}} to i8
define void @f(ptr noalias %x, i64 %n) {
entry:
  %s = alloca [2 x { i32, i8, i8 }], align 8
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
  %sj = getelementptr inbounds { i32, i8, i8 }, ptr %s, i64 %j
  store i32 %v, ptr %sj, align 8
  %b = getelementptr inbounds i8, ptr %sj, i64 5
  store i8 %t, ptr %b, align 1
  %b1 = getelementptr inbounds i8, ptr %s, i64 13
  %now = load i8, ptr %b1, align 1
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
