; Functions that call one another in a circle have no known need: the number stays. (Kernels do not recurse.)
; RUN-PASS: stack-needs --march=x86-64-v3
define void @even(i32 %n) {
  %a = alloca [64 x i8]
  call void @odd(i32 %n)
  ret void
}
define void @odd(i32 %n) {
  call void @even(i32 %n)
  ret void
}
define void @task(ptr %args) {
  call void @even(i32 8)
  ret void
}
define void @launch(ptr %args) {
; CHECK-LABEL: define void @launch(
; CHECK: call void @kdsl_fork(ptr null, ptr @task, ptr %args, i64 4096)
  call void @kdsl_fork(ptr null, ptr @task, ptr %args, i64 4096)
  ret void
}
declare void @kdsl_fork(ptr, ptr, ptr, i64)
