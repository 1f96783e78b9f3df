; Each group's memory of each function becomes its own variable.
; RUN-PASS: open-group-memory --march=x86-64-v3
define void @two() {
; CHECK-LABEL: @two(
; CHECK: store i32 1, ptr %a
; CHECK-NEXT: store i32 2, ptr %b
  %a = alloca [4 x i32]
  %b = alloca [4 x i32]
  %m = call ptr @kdsl.group.memory(ptr %a)
  %n = call ptr @kdsl.group.memory(ptr %b)
  store i32 1, ptr %m
  store i32 2, ptr %n
  ret void
}
define void @other() {
; CHECK-LABEL: @other(
; CHECK: store i32 3, ptr %c
  %c = alloca [4 x i32]
  %m = call ptr @kdsl.group.memory(ptr %c)
  store i32 3, ptr %m
  ret void
}
declare ptr @kdsl.group.memory(ptr)
