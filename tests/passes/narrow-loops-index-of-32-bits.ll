; A comparison of an index of 32 bits, of one that is added and taken away again, and with a step larger than a million.
; RUN-PASS: narrow-loops --march=x86-64-v3
; CHECK: phi i64 [ {{%.*}}, %entry ]
; CHECK-NOT: icmp ult
; CHECK-NOT: icmp sgt
define void @f(ptr noalias %c, i64 %lo, i64 %hi, i32 %k, i64 %n) {
entry:
  br label %head
head:
  %i = phi i64 [ %lo, %entry ], [ %next, %latch ]
  %more = icmp slt i64 %i, %hi
  br i1 %more, label %item, label %done
item:
  %j = trunc nuw nsw i64 %i to i32
  %j1 = add nuw i32 %j, %k
  %c1 = icmp ult i32 %j1, 100
  br i1 %c1, label %second, label %latch
second:
  %up = add nsw i64 %i, %n
  %big = mul nsw i64 %up, 4194304
  %same = mul nsw i64 %n, 4194304
  %far = sub nsw i64 %big, %same
  %c2 = icmp sgt i64 %far, 9000000
  br i1 %c2, label %then, label %latch
then:
  %p = getelementptr i32, ptr %c, i64 %i
  store i32 1, ptr %p, align 4
  br label %latch
latch:
  %next = add nuw nsw i64 %i, 1
  br label %head, !kdsl.items !0
done:
  ret void
}
!0 = !{}
