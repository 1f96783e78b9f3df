; Each launch has the need of its own task; one without variables needs none.
; RUN-PASS: stack-needs --march=x86-64-v3
define void @small(ptr %args) {
  ret void
}
define void @large(ptr %args) {
entry:
  %a = alloca float, i32 1000
  br label %next
next:
  %b = alloca <8 x float>
  ret void
}
define void @launch(ptr %args) {
; CHECK-LABEL: define void @launch(
; CHECK: call void @kdsl_fork(ptr null, ptr @small, ptr %args, i64 0)
; CHECK: call void @kdsl_fork(ptr null, ptr @large, ptr %args, i64 4032)
; CHECK: call void @kdsl_fork(ptr null, ptr @large, ptr %args, i64 4032)
  call void @kdsl_fork(ptr null, ptr @small, ptr %args, i64 77)
  call void @kdsl_fork(ptr null, ptr @large, ptr %args, i64 0)
  call void @kdsl_fork(ptr null, ptr @large, ptr %args, i64 0)
  ret void
}
declare void @kdsl_fork(ptr, ptr, ptr, i64)
