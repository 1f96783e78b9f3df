; A loop that its own condition may leave, not only a check: how many iterations there are is not known.
; RUN-PASS: combine-exits --offload-arch=sm_80
define i64 @find(ptr noalias readonly %x, ptr noalias readonly %y, ptr %slot, i64 %n, i64 %m) {
; CHECK-LABEL: @find(
; CHECK-NOT: or i1
; CHECK-NOT: rest:
; CHECK: ret i64
entry:
  br label %head
head:
  %e = phi i64 [ 0, %entry ], [ %e.next, %other ]
  %more = icmp slt i64 %e, %n
  br i1 %more, label %body, label %done
body:
  %p = getelementptr inbounds i64, ptr %x, i64 %e
  %c = load i64, ptr %p
  %outside = icmp uge i64 %c, %m
  br i1 %outside, label %fail, label %ok
fail:
  call void @kdsl.report(ptr %slot, ptr %slot)
  br label %done
ok:
  %q = getelementptr inbounds i64, ptr %y, i64 %c
  %v = load i64, ptr %q
  %found = icmp eq i64 %v, 0
  br i1 %found, label %done, label %other
other:
  %e.next = add nsw i64 %e, 1
  br label %head
done:
  %result = phi i64 [ %n, %head ], [ -1, %fail ], [ %e, %ok ]
  ret i64 %result
}
declare void @kdsl.report(ptr, ptr) #0
attributes #0 = { cold noinline nounwind }
