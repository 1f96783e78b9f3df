; A bit in memory says whether a check in an inlined function has failed, and the caller leaves by it: the path on which the
; check failed goes to the way out directly, and the others need not ask.
; RUN-PASS: prepare-nests --march=x86-64-v3
define internal i32 @get(ptr %x, i64 %i, i64 %n, ptr %failed) alwaysinline {
entry:
  %outside = icmp uge i64 %i, %n
  br i1 %outside, label %fail, label %ok
fail:
  store i1 true, ptr %failed
  call void @report()
  ret i32 0
ok:
  %p = getelementptr i32, ptr %x, i64 %i
  %v = load i32, ptr %p
  ret i32 %v
}
declare void @report()

define void @f(ptr noalias %x, ptr noalias %y, i64 %n, i64 %m) {
; CHECK-LABEL: define void @f(
; CHECK-NOT: phi i1
; CHECK: call void @report()
; CHECK-NEXT: br label %[[OUT:.*]]
; CHECK-NOT: phi i1
; CHECK: [[OUT]]:
; CHECK-NEXT: ret void
; CHECK-NOT: phi i1
; CHECK: }
entry:
  %failed = alloca i1
  br label %head
head:
  %i = phi i64 [ 0, %entry ], [ %next, %latch ]
  %more = icmp slt i64 %i, %n
  br i1 %more, label %body, label %done
body:
  store i1 false, ptr %failed
  %v = call i32 @get(ptr %x, i64 %i, i64 %m, ptr %failed)
  %has = load i1, ptr %failed
  br i1 %has, label %leave, label %on
leave:
  ret void
on:
  %q = getelementptr i32, ptr %y, i64 %i
  store i32 %v, ptr %q
  br label %latch
latch:
  %next = add nsw i64 %i, 1
  br label %head, !kdsl.items !0
done:
  ret void
}
!0 = !{}
