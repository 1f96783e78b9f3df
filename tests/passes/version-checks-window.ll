; The items of a rectangle read x[i + k] under a check: it is made for all of them before the nest. The scalar copy has it.
; RUN-PASS: version-checks --march=x86-64-v3
; CHECK-LABEL: define void @f(
; CHECK: sub i64 %n, 1
; CHECK: icmp slt i64 {{%.*}}, {{%(size|size.fr)}}
; CHECK: br i1 {{%.*}}, label %holds, label %fails
; CHECK: holds:
; CHECK: body:
; CHECK-NOT: icmp
; CHECK: store float
; CHECK: !kdsl.items
; CHECK: fails:
; CHECK: icmp ult i64 {{%.*}}, {{%(size|size.fr)}}
; CHECK-NOT: !kdsl.items
; CHECK: ret void
define void @f(ptr noalias %x, ptr noalias %y, i64 %k, i64 %size, i64 %n) {
entry:
  br label %head
head:
  %i = phi i64 [ 0, %entry ], [ %next, %latch ]
  %more = icmp slt i64 %i, %n
  br i1 %more, label %body, label %done
body:
  %at = add i64 %i, %k
  %ok = icmp ult i64 %at, %size
  br i1 %ok, label %inside, label %outside
inside:
  %p = getelementptr float, ptr %x, i64 %at
  %v = load float, ptr %p, align 4
  %q = getelementptr float, ptr %y, i64 %i
  store float %v, ptr %q, align 4
  br label %latch
latch:
  %next = add nuw nsw i64 %i, 1
  br label %head, !kdsl.items !0
outside:
  call void @report(i64 %at)
  ret void
done:
  ret void
}
declare void @report(i64)
!0 = !{}
