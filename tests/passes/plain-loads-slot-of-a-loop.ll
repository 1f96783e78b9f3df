; No check is left, so nothing writes the slot that the loop asks whether one has failed; it is asked once, before the loop.
; RUN-PASS: plain-loads --offload-arch=sm_90
define ptx_kernel void @k(ptr noalias %x, i64 %n, ptr noalias readonly %slot) {
; CHECK-LABEL: @k(
; CHECK: load i32, ptr %slot
; CHECK-NOT: %slot
; CHECK-NOT: load atomic
; CHECK: ret void
entry:
  %first = load atomic i32, ptr %slot monotonic, align 4
  %failed = icmp ne i32 %first, 0
  br i1 %failed, label %done, label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %body ]
  %again = load atomic i32, ptr %slot monotonic, align 4
  %stop = icmp ne i32 %again, 0
  br i1 %stop, label %done, label %body
body:
  %at = getelementptr inbounds i32, ptr %x, i64 %i
  store i32 7, ptr %at
  %next = add i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %done
done:
  ret void
}
