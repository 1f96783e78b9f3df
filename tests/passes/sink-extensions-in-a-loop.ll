; In a loop, an address made of an extension that is used above it is computed there, where one instruction multiplies and
; adds; a copy of the extension would become one with the first. Outside of loops each block has its copy.
; RUN-PASS: sink-extensions --offload-arch=sm_80
define void @kdsl_narrow_k(ptr %x, ptr %y, i32 %begin, i32 %n) "kdsl-narrow" {
; CHECK-LABEL: @kdsl_narrow_k(
; CHECK: loop:
; CHECK: [[K:%.*]] = sext i32 %k to i64
; CHECK: getelementptr float, ptr %y, i64 [[K]]
; CHECK: getelementptr i32, ptr %x, i64 [[K]]
; CHECK: inside:
; CHECK-NOT: sext
; CHECK: done:
entry:
  br label %loop
loop:
  %k = phi i32 [ %begin, %entry ], [ %next, %inside ]
  %wide = sext i32 %k to i64
  %p = getelementptr i32, ptr %x, i64 %wide
  %v = load i32, ptr %p
  %outside = icmp uge i32 %v, %n
  br i1 %outside, label %done, label %inside
inside:
  %q = getelementptr float, ptr %y, i64 %wide
  store float 1.0, ptr %q
  %next = add i32 %k, 1
  %more = icmp ult i32 %next, %n
  br i1 %more, label %loop, label %done
done:
  ret void
}
