; Fields of one size are accessed as they are, and so is memory with an address that is no multiple of the size.
; RUN-PASS: prepare-nests --march=x86-64-v3
; CHECK: store i32 %v, ptr %s
; CHECK: store i8 1, ptr %p
; CHECK-NOT: freeze
define void @f(ptr noalias %x, i64 %n) {
entry:
  %s = alloca { float, [2 x i32] }, align 8
  %p = alloca <{ i8, [2 x i32] }>, align 8
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
  %t = bitcast i32 %v to float
  store float %t, ptr %s, align 8
  %c = getelementptr inbounds i8, ptr %s, i64 4
  %ck = getelementptr inbounds i32, ptr %c, i64 %j
  store i32 7, ptr %c, align 4
  store i32 %v, ptr %ck, align 4
  store i8 1, ptr %p, align 8
  %q = getelementptr inbounds i8, ptr %p, i64 1
  %qk = getelementptr inbounds i32, ptr %q, i64 %j
  store i32 %v, ptr %qk, align 1
  %v2 = lshr i32 %v, 1
  %k2 = and i32 %v2, 1
  %j2 = zext i32 %k2 to i64
  %ck2 = getelementptr inbounds i32, ptr %c, i64 %j2
  %u = load i32, ptr %ck2, align 4
  %w = load i8, ptr %p, align 8
  %wide = zext i8 %w to i32
  %q0 = load i32, ptr %q, align 1
  %r = add i32 %u, %wide
  %r2 = add i32 %r, %q0
  store i32 %r2, ptr %px, align 4
  br label %latch
latch:
  %next = add nsw i64 %i, 1
  br label %head, !kdsl.items !0
done:
  ret void
}
!0 = !{}
