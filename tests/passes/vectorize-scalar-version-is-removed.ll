; A version of a loop that was made for vector code, and of which none came, is not run: the loop for all launches does the
; same. Where the version became vector code, the test stays.
; RUN-PASS: vectorize --march=x86-64-v3
; CHECK-LABEL: define void @refused(
; CHECK: br i1 false, label %version, label %rest,
; CHECK-LABEL: define void @vector(
; CHECK: br i1 %test, label %version, label %rest,
; CHECK: store <8 x float>
define void @refused(ptr noalias %x, i64 %n, i1 %test) {
entry:
  br i1 %test, label %version, label %rest, !kdsl.version !0
version:
  br label %version.head
version.head:
  %i = phi i64 [ 0, %version ], [ %next, %version.latch ]
  %more = icmp slt i64 %i, %n
  br i1 %more, label %body, label %done
body:
  %p = getelementptr float, ptr %x, i64 %i
  store volatile float 1.0, ptr %p, align 4
  br label %version.latch
version.latch:
  %next = add nsw i64 %i, 1
  br label %version.head, !kdsl.items !0, !kdsl.version !0
rest:
  br label %rest.head
rest.head:
  %j = phi i64 [ 0, %rest ], [ %after, %rest.latch ]
  %go = icmp slt i64 %j, %n
  br i1 %go, label %rest.body, label %done
rest.body:
  %q = getelementptr float, ptr %x, i64 %j
  store volatile float 1.0, ptr %q, align 4
  br label %rest.latch
rest.latch:
  %after = add nsw i64 %j, 1
  br label %rest.head, !kdsl.items !0
done:
  ret void
}
define void @vector(ptr noalias %x, i64 %n, i1 %test) {
entry:
  br i1 %test, label %version, label %rest, !kdsl.version !0
version:
  br label %version.head
version.head:
  %i = phi i64 [ 0, %version ], [ %next, %version.latch ]
  %more = icmp slt i64 %i, %n
  br i1 %more, label %body, label %done
body:
  %p = getelementptr float, ptr %x, i64 %i
  store float 1.0, ptr %p, align 4
  br label %version.latch
version.latch:
  %next = add nsw i64 %i, 1
  br label %version.head, !kdsl.items !0, !kdsl.version !0
rest:
  br label %rest.head
rest.head:
  %j = phi i64 [ 0, %rest ], [ %after, %rest.latch ]
  %go = icmp slt i64 %j, %n
  br i1 %go, label %rest.body, label %done
rest.body:
  %q = getelementptr float, ptr %x, i64 %j
  store volatile float 1.0, ptr %q, align 4
  br label %rest.latch
rest.latch:
  %after = add nsw i64 %j, 1
  br label %rest.head, !kdsl.items !0
done:
  ret void
}
!0 = !{}
