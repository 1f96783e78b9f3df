; Memory that nothing uses, and a declaration that nothing calls, go as well.
; RUN-PASS: open-group-memory --march=x86-64-v3
define void @unused() {
; CHECK-LABEL: @unused(
; CHECK-NEXT: %at = alloca [4 x i32]
; CHECK-NEXT: ret void
  %at = alloca [4 x i32]
  %m = call ptr @kdsl.group.memory(ptr %at)
  ret void
}
; CHECK-NOT: @kdsl.group.memory
declare ptr @kdsl.group.memory(ptr)
