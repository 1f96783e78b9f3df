; A small function with a hint is inlined into vector code and into scalar code.
; RUN-PASS: optimize --march=x86-64-v3
; CHECK-NOT: call i32 @update
; CHECK: atomicrmw add
; CHECK: atomicrmw add
; CHECK-NOT: @update
define internal i32 @update(ptr %p) inlinehint nounwind {
  %old = atomicrmw add ptr %p, i32 1 monotonic
  ret i32 %old
}
define void @vector(ptr %p) "kdsl-vector" {
  %a = call i32 @update(ptr %p)
  ret void
}
define void @scalar(ptr %p) "kdsl-scalar" {
  %a = call i32 @update(ptr %p)
  ret void
}
