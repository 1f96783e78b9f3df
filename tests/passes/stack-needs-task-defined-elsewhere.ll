; A task whose code is not here has a need that is not known: the number stays.
; RUN-PASS: stack-needs --march=x86-64-v3
define void @launch(ptr %args) {
; CHECK-LABEL: define void @launch(
; CHECK: call void @kdsl_fork(ptr null, ptr @task, ptr %args, i64 4096)
  call void @kdsl_fork(ptr null, ptr @task, ptr %args, i64 4096)
  ret void
}
declare void @task(ptr)
declare void @kdsl_fork(ptr, ptr, ptr, i64)
