; Updates are made in order behind the checks of all four: keys that nothing else writes are read ahead of them.
; RUN-PASS: combine-exits --offload-arch=sm_80
define void @count(ptr noalias readonly %keys, ptr noalias %counts, ptr %slot, i64 %first, i64 %n) {
; CHECK-LABEL: @count(
; CHECK: load i32
; CHECK: load i32
; CHECK: load i32
; CHECK: load i32
; CHECK: or i1
; CHECK: br i1 {{.*}}, label %rest, label
; CHECK: atomicrmw
; CHECK: atomicrmw
; CHECK: atomicrmw
; CHECK: atomicrmw
; CHECK: rest:
entry:
  br label %head
head:
  %e = phi i64 [ %first, %entry ], [ %e.next, %ok ]
  %more = icmp slt i64 %e, %n
  br i1 %more, label %body, label %done
body:
  %p = getelementptr inbounds i32, ptr %keys, i64 %e
  %key = load i32, ptr %p
  %inside = icmp ult i32 %key, 256
  br i1 %inside, label %ok, label %fail
fail:
  call void @kdsl.report(ptr %slot, ptr %slot)
  br label %done
ok:
  %k = zext i32 %key to i64
  %q = getelementptr inbounds i32, ptr %counts, i64 %k
  %old = atomicrmw add ptr %q, i32 1 monotonic
  %e.next = add nsw i64 %e, 1
  br label %head
done:
  ret void
}
declare void @kdsl.report(ptr, ptr) #0
attributes #0 = { cold noinline nounwind }
