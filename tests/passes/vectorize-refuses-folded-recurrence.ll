; One item's loop of affine recurrences is unrolled by LLVM and folded, eight iterations into one; that lanes leave it at
; different times keeps vector code from that. Where the recurrence decides who leaves, it cannot be folded.
; RUN-PASS: vectorize --march=x86-64-v3
; CHECK-LABEL: define void @counted(
; CHECK-NOT: <{{[0-9]+}} x i32>
; CHECK: br label %head, {{.*}}!kdsl.items
; CHECK-LABEL: define void @compared(
; CHECK: <8 x i32>
define void @counted(ptr noalias %x, i64 %n) {
entry:
  br label %head
head:
  %i = phi i64 [ 0, %entry ], [ %next, %latch ]
  %more = icmp slt i64 %i, %n
  br i1 %more, label %loop, label %done
loop:
  %k = phi i64 [ 0, %head ], [ %k.next, %loop ]
  %s = phi i32 [ 1, %head ], [ %t, %loop ]
  %m = mul i32 %s, 1664525
  %t = add i32 %m, 1013904223
  %k.next = add i64 %k, 1
  %go = icmp slt i64 %k.next, %i
  br i1 %go, label %loop, label %out
out:
  %p = getelementptr i32, ptr %x, i64 %i
  store i32 %t, ptr %p, align 4
  br label %latch
latch:
  %next = add nsw i64 %i, 1
  br label %head, !kdsl.items !0
done:
  ret void
}
define void @compared(ptr noalias %x, i64 %n) {
entry:
  br label %head
head:
  %i = phi i64 [ 0, %entry ], [ %next, %latch ]
  %more = icmp slt i64 %i, %n
  br i1 %more, label %body, label %done
body:
  %p = getelementptr i32, ptr %x, i64 %i
  %v = load i32, ptr %p, align 4
  br label %loop
loop:
  %s = phi i32 [ 1, %body ], [ %t, %loop ]
  %m = mul i32 %s, 1664525
  %t = add i32 %m, 1013904223
  %go = icmp slt i32 %t, %v
  br i1 %go, label %loop, label %out
out:
  store i32 %t, ptr %p, align 4
  br label %latch
latch:
  %next = add nsw i64 %i, 1
  br label %head, !kdsl.items !0
done:
  ret void
}
!0 = !{}
