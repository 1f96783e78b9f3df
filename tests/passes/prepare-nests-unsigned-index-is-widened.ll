; Unsigned arithmetic needs nuw, and signed arithmetic nsw: the other flag says nothing of the extension.
; RUN-PASS: prepare-nests --march=x86-64-v3
define void @f(ptr noalias %x, ptr noalias %y, i64 %n, i32 %k) {
; CHECK-LABEL: define void @f(
; CHECK: %i = phi i64
; CHECK: %[[AT:.*]] = mul nuw nsw i64 %i, 3
; CHECK: getelementptr i8, ptr %x, i64 %[[AT]]
; CHECK: sext i32 %{{.*}} to i64
entry:
  br label %head
head:
  %i = phi i64 [ 0, %entry ], [ %next, %latch ]
  %more = icmp slt i64 %i, %n
  br i1 %more, label %body, label %done
body:
  %narrow = trunc nuw i64 %i to i32
  %three = mul nuw i32 %narrow, 3
  %at = zext i32 %three to i64
  %p = getelementptr i8, ptr %x, i64 %at
  %v = load i8, ptr %p
  %sum = add nuw i32 %k, %narrow
  %to = sext i32 %sum to i64
  %q = getelementptr i8, ptr %y, i64 %to
  store i8 %v, ptr %q
  br label %latch
latch:
  %next = add nsw i64 %i, 1
  br label %head, !kdsl.items !0
done:
  ret void
}
!0 = !{}
