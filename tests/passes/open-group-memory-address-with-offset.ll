; Memory that begins inside a variable, or that a caller provides, becomes that address.
; RUN-PASS: open-group-memory --march=x86-64-v3
define void @part(ptr %room) {
; CHECK-LABEL: @part(
; CHECK: %inner = getelementptr i8, ptr %at, i64 64
; CHECK-NEXT: store i32 1, ptr %inner
; CHECK-NEXT: store i32 2, ptr %room
  %at = alloca [128 x i8], align 64
  %inner = getelementptr i8, ptr %at, i64 64
  %m = call ptr @kdsl.group.memory(ptr %inner)
  %n = call ptr @kdsl.group.memory(ptr %room)
  store i32 1, ptr %m
  store i32 2, ptr %n
  ret void
}
declare ptr @kdsl.group.memory(ptr)
