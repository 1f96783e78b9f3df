; The counter of a loop, which vectorisation keeps in memory, becomes a phi.
; RUN-PASS: clean-nests --march=x86-64-v3
define void @count(i64 %n) "kdsl-nests" {
; CHECK-LABEL: @count(
; CHECK-NOT: alloca
; CHECK: phi i64 [ 0, %entry ], [ %next, %block ]
; CHECK-NOT: load
entry:
  %x = alloca i64, align 8
  store i64 0, ptr %x, align 8
  br label %vectors
vectors:
  %at = load i64, ptr %x, align 8
  %more = icmp slt i64 %at, %n
  br i1 %more, label %block, label %done
block:
  %now = load i64, ptr %x, align 8
  %next = add nsw i64 %now, 8
  store i64 %next, ptr %x, align 8
  br label %vectors
done:
  ret void
}
