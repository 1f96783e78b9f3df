; With mask registers a vector at an edge takes the code of the row's epilogue: it has no copy of its own.
; RUN-PASS: vectorize --march=x86-64-v4
; CHECK: part:
; CHECK: [[HI:%.*]] = load i64, ptr %hi
; CHECK: @llvm.masked.store.v16f32
; CHECK-NOT: @llvm.masked.store.v16f32
; CHECK: inside:
; CHECK: edge:
; CHECK: inside{{[0-9]+}}:
; CHECK: [[EDGE:edge[0-9]+]]:
; CHECK: store i64 {{%.*}}, ptr %hi
; CHECK-NEXT: br label %part
; CHECK-NOT: call {{.*}}masked.store
define void @f(ptr noalias %x, ptr noalias %y, i64 %n, i64 %m) {
entry:
  br label %head
head:
  %i = phi i64 [ 0, %entry ], [ %next, %latch ]
  %more = icmp slt i64 %i, %n
  br i1 %more, label %body, label %done
body:
  %p = getelementptr float, ptr %x, i64 %i
  %inner = icmp ne i64 %i, %m
  br i1 %inner, label %then, label %else
then:
  %left = getelementptr i8, ptr %p, i64 -4
  %l = load float, ptr %left, align 4
  %v = load float, ptr %p, align 4
  %s = fadd float %l, %v
  br label %join
else:
  br label %join
join:
  %r = phi float [ %s, %then ], [ 0.0, %else ]
  %q = getelementptr float, ptr %y, i64 %i
  store float %r, ptr %q, align 4
  br label %latch
latch:
  %next = add nsw i64 %i, 1
  br label %head, !kdsl.items !0
done:
  ret void
}
!0 = !{}
