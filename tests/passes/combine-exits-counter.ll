; The blocks of a loop with checks have no counter of their own: its counter is below the end of the last block, in the
; order in which the loop compares it. Iterations with an update are in blocks of eight.
; RUN-PASS: combine-exits --offload-arch=sm_80
define void @count(ptr noalias readonly %keys, ptr noalias %counts, ptr %slot, i32 %first, i32 %n) {
; CHECK-LABEL: @count(
; CHECK: [[WHOLE:%.*]] = and i32 {{.*}}, -8
; CHECK: [[END:%.*]] = add i32 %first, [[WHOLE]]
; CHECK: block:
; CHECK-NEXT: phi i32
; CHECK-NOT: phi
; CHECK: icmp eq i32 {{.*}}, [[END]]
; CHECK-NEXT: br i1 {{.*}}, !llvm.loop [[LOOP:![0-9]+]]
; CHECK-NOT: block{{[0-9]+}}:
; CHECK: [[LOOP]] = distinct !{[[LOOP]], {{![0-9]+}}, [[ORDER:![0-9]+]], [[SCALAR:![0-9]+]]}
; CHECK: [[ORDER]] = !{!"kdsl.ordered.by.sign"}
; CHECK: [[SCALAR]] = !{!"llvm.loop.vectorize.enable", i32 0}
entry:
  br label %head
head:
  %e = phi i32 [ %first, %entry ], [ %e.next, %ok ]
  %more = icmp slt i32 %e, %n
  br i1 %more, label %body, label %done
body:
  %wide = sext i32 %e to i64
  %p = getelementptr inbounds i32, ptr %keys, i64 %wide
  %key = load i32, ptr %p
  %inside = icmp ult i32 %key, 256
  br i1 %inside, label %ok, label %fail
fail:
  call void @kdsl.report(ptr %slot, ptr %slot)
  br label %done
ok:
  %k = zext i32 %key to i64
  %q = getelementptr inbounds i32, ptr %counts, i64 %k
  %old = atomicrmw add ptr %q, i32 1 syncscope("device") monotonic
  %e.next = add nsw i32 %e, 1
  br label %head
done:
  ret void
}
declare void @kdsl.report(ptr, ptr) cold
