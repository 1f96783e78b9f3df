; Updates are made lane by lane, with a branch for each lane under a mask: a vector at an edge has code of its own, without one.
; RUN-PASS: vectorize --march=x86-64-v4 --vector=always
; CHECK: inside:
; CHECK: edge:
; CHECK-COUNT-16: call i32 @kdsl.update.add.i32(
; CHECK: items.end:
; CHECK-NOT: lane:
; CHECK-COUNT-16: call i32 @kdsl.update.add.i32(
; CHECK: pieces:
define void @f(ptr noalias %x, ptr noalias %y, i64 %n, i64 %m) {
entry:
  br label %head
head:
  %i = phi i64 [ 0, %entry ], [ %next, %latch ]
  %more = icmp slt i64 %i, %n
  br i1 %more, label %body, label %done
body:
  %p = getelementptr float, ptr %x, i64 %i
  %inner = icmp ne i64 %i, %m
  br i1 %inner, label %then, label %else
then:
  %left = getelementptr i8, ptr %p, i64 -4
  %l = load float, ptr %left, align 4
  %v = load float, ptr %p, align 4
  %s = fadd float %l, %v
  br label %join
else:
  br label %join
join:
  %r = phi float [ %s, %then ], [ 0.0, %else ]
  %k = fptoui float %r to i64
  %q = getelementptr i32, ptr %y, i64 %k
  %old = call i32 @kdsl.update.add.i32(ptr %q, i32 1)
  br label %latch
latch:
  %next = add nsw i64 %i, 1
  br label %head, !kdsl.items !0
done:
  ret void
}
declare i32 @kdsl.update.add.i32(ptr, i32)
!0 = !{}
