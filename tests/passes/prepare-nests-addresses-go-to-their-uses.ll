; An address in private memory that was computed before the loops is computed where it is used.
; RUN-PASS: prepare-nests --march=x86-64-v3
; CHECK: body:
; CHECK: [[A:%[0-9]+]] = getelementptr inbounds nuw i8, ptr %s, i64 4
; CHECK-NEXT: store i32 %v, ptr [[A]]
define void @f(ptr noalias %x, i64 %n) {
entry:
  %s = alloca [4 x i32], align 4
  %s1 = getelementptr i32, ptr %s, i64 1
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
  %sj = getelementptr i32, ptr %s, i64 %j
  store i32 1, ptr %sj, align 4
  store i32 %v, ptr %s1, align 4
  %r = load i32, ptr %sj, align 4
  store i32 %r, ptr %px, align 4
  br label %latch
latch:
  %next = add nsw i64 %i, 1
  br label %head, !kdsl.items !0
done:
  ret void
}
!0 = !{}
