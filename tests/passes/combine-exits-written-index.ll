; The loop writes the array from which it takes its indices: they cannot be read ahead.
; RUN-PASS: combine-exits --offload-arch=sm_80
define void @count(ptr %keys, ptr %slot, i64 %n) {
; CHECK-LABEL: @count(
; CHECK-NOT: or i1
; CHECK-NOT: rest:
; CHECK: ret void
entry:
  br label %head
head:
  %e = phi i64 [ 0, %entry ], [ %e.next, %ok ]
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
  %q = getelementptr inbounds i32, ptr %keys, i64 %k
  store i32 7, ptr %q
  %e.next = add nsw i64 %e, 1
  br label %head
done:
  ret void
}
declare void @kdsl.report(ptr, ptr) #0
attributes #0 = { cold noinline nounwind }
