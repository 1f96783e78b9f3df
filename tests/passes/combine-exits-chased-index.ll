; The index of an iteration is what the one before it has loaded: there is nothing to read ahead.
; RUN-PASS: combine-exits --offload-arch=sm_80
define i32 @follow(ptr noalias readonly %next, ptr %slot, i64 %n, i64 %steps) {
; CHECK-LABEL: @follow(
; CHECK-NOT: or i1
; CHECK-NOT: rest:
; CHECK: ret i32
entry:
  br label %head
head:
  %s = phi i64 [ 0, %entry ], [ %s.next, %ok ]
  %at = phi i32 [ 0, %entry ], [ %then, %ok ]
  %more = icmp slt i64 %s, %steps
  br i1 %more, label %body, label %done
body:
  %at64 = sext i32 %at to i64
  %outside = icmp uge i64 %at64, %n
  br i1 %outside, label %fail, label %ok
fail:
  call void @kdsl.report(ptr %slot, ptr %slot)
  br label %done
ok:
  %p = getelementptr inbounds i32, ptr %next, i64 %at64
  %then = load i32, ptr %p
  %s.next = add nsw i64 %s, 1
  br label %head
done:
  %result = phi i32 [ %at, %head ], [ -1, %fail ]
  ret i32 %result
}
declare void @kdsl.report(ptr, ptr) #0
attributes #0 = { cold noinline nounwind }
