; Where the task is known only at run time, or kdsl_fork is handed on as a value, the number stays.
; RUN-PASS: stack-needs --march=x86-64-v3
define void @launch(ptr %task, ptr %args) {
; CHECK-LABEL: define void @launch(
; CHECK: call void @kdsl_fork(ptr null, ptr %task, ptr %args, i64 4096)
; CHECK: call void @keep(ptr @kdsl_fork)
  call void @kdsl_fork(ptr null, ptr %task, ptr %args, i64 4096)
  call void @keep(ptr @kdsl_fork)
  ret void
}
declare void @keep(ptr)
declare void @kdsl_fork(ptr, ptr, ptr, i64)
