; A loop that does little but call what has no vector form costs more as vectors: it is left as it was, and LLVM, whose
; cost model would take vectors for a table of bytes, is asked to leave it, too.
; RUN-PASS: vectorize --march=x86-64-v3
; CHECK-LABEL: define void @f(
; CHECK-NOT: <{{[0-9]+}} x
; CHECK: br label %head, !llvm.loop [[LOOP:![0-9]+]], !kdsl.items
; CHECK-NOT: <{{[0-9]+}} x
define void @f(ptr noalias %x, i64 %n) {
entry:
  br label %head
head:
  %i = phi i64 [ 0, %entry ], [ %next, %latch ]
  %more = icmp slt i64 %i, %n
  br i1 %more, label %body, label %done
body:
  %p = getelementptr float, ptr %x, i64 %i
  %v = load float, ptr %p, align 4
  %s = call float @outside(float %v)
  store float %s, ptr %p, align 4
  br label %latch
latch:
  %next = add nsw i64 %i, 1
  br label %head, !kdsl.items !0
done:
  ret void
}
declare float @outside(float)
!0 = !{}
; CHECK: [[LOOP]] = distinct !{[[LOOP]], [[NONE:![0-9]+]]}
; CHECK: [[NONE]] = !{!"llvm.loop.vectorize.enable", i1 false}
