; An address that is hidden from LLVM stays hidden, even where it is a constant.
; RUN-PASS: fold-masks --march=x86-64-v3
@table = internal global [4 x i32] zeroinitializer
define ptr @hidden() {
; CHECK-LABEL: @hidden(
; CHECK-NEXT: call ptr @kdsl.hidden.place(ptr @table)
  %p = call ptr @kdsl.hidden.place(ptr @table)
  ret ptr %p
}
declare ptr @kdsl.hidden.place(ptr)
