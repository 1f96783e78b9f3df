; A store after which another array is loaded that may be the same memory stays.
; RUN-PASS: prepare-nests --march=x86-64-v3
; CHECK: store i32 1
; CHECK: store i32 2
define void @f(ptr nonnull %x, ptr nonnull %o, i64 %n) {
entry:
  br label %head
head:
  %i = phi i64 [ 0, %entry ], [ %next, %latch ]
  %more = icmp slt i64 %i, %n
  br i1 %more, label %body, label %done
body:
  %px = getelementptr i32, ptr %x, i64 %i
  %v = load i32, ptr %px, align 4
  %c = icmp slt i32 %v, 5
  %p = getelementptr i32, ptr %o, i64 %i
  br i1 %c, label %then, label %else
then:
  store i32 1, ptr %p, align 4
  %again = load i32, ptr %px, align 4
  br label %end
else:
  store i32 2, ptr %p, align 4
  br label %end
end:
  %r = phi i32 [ %again, %then ], [ 3, %else ]
  store i32 %r, ptr %px, align 4
  br label %latch
latch:
  %next = add nsw i64 %i, 1
  br label %head, !kdsl.items !0
done:
  ret void
}
!0 = !{}
