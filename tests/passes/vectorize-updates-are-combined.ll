; Updates of one element by all items, at a place that is no constant, whose old values nobody wants, are first added among the lanes.
; RUN-PASS: vectorize --march=x86-64-v3
; CHECK: vectors:
; CHECK: [[SUM:%.*]] = call i32 @llvm.vector.reduce.add.v8i32(
; CHECK: call i32 @kdsl.update.add.i32(ptr %at, i32
; CHECK-NOT: call i32 @kdsl.update.add.i32(ptr %at, i32 {{%.*}})
; CHECK: items.end
define void @f(ptr noalias %s, ptr noalias %x, i64 %n, i64 %k) {
entry:
  %at = getelementptr i32, ptr %s, i64 %k
  br label %head
head:
  %i = phi i64 [ 0, %entry ], [ %next, %latch ]
  %more = icmp slt i64 %i, %n
  br i1 %more, label %body, label %done
body:
  %p = getelementptr float, ptr %x, i64 %i
  %f = load float, ptr %p, align 4
  %d0 = fdiv float %f, 3.0
  %e0 = fadd float %d0, %f
  %d1 = fdiv float %e0, 3.0
  %e1 = fadd float %d1, %f
  %d2 = fdiv float %e1, 3.0
  %e2 = fadd float %d2, %f
  %d3 = fdiv float %e2, 3.0
  %e3 = fadd float %d3, %f
  %d4 = fdiv float %e3, 3.0
  %e4 = fadd float %d4, %f
  %v = fptosi float %e4 to i32
  %old = call i32 @kdsl.update.add.i32(ptr %at, i32 %v)
  store float %e4, ptr %p, align 4
  br label %latch
latch:
  %next = add nsw i64 %i, 1
  br label %head, !kdsl.items !0
done:
  ret void
}
declare i32 @kdsl.update.add.i32(ptr, i32)
!0 = !{}
