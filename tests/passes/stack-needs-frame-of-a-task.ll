; A launch is told how much stack its threads need: the variables of the task it starts.
; RUN-PASS: stack-needs --march=x86-64-v3
define void @task(ptr %args) {
  %a = alloca [100 x double], align 8
  %b = alloca i32, align 4
  ret void
}
define void @launch(ptr %args) {
; CHECK-LABEL: define void @launch(
; CHECK: call void @kdsl_fork(ptr null, ptr @task, ptr %args, i64 804)
  call void @kdsl_fork(ptr null, ptr @task, ptr %args, i64 0)
  ret void
}
declare void @kdsl_fork(ptr, ptr, ptr, i64)
