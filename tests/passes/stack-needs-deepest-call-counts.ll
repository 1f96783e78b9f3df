; Of the functions that a task calls, one after the other, the deepest counts, with what that one calls.
; RUN-PASS: stack-needs --march=x86-64-v3
define void @leaf() {
  %a = alloca [64 x i8]
  ret void
}
define void @deep() {
  %a = alloca [1000 x i8]
  call void @leaf()
  ret void
}
define void @task(ptr %args) {
  %a = alloca [8 x i8]
  call void @deep()
  call void @leaf()
  call void @deep()
  call void @elsewhere()
  ret void
}
define void @launch(ptr %args) {
; CHECK-LABEL: define void @launch(
; CHECK: call void @kdsl_fork(ptr null, ptr @task, ptr %args, i64 1072)
  call void @kdsl_fork(ptr null, ptr @task, ptr %args, i64 0)
  ret void
}
declare void @elsewhere()
declare void @kdsl_fork(ptr, ptr, ptr, i64)
