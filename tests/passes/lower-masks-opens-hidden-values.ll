; A hidden address becomes the address, and hidden words go through a register that LLVM cannot see through.
; RUN-PASS: lower-masks --march=x86-64-v3
define i32 @hidden(ptr %p, i64 %w) {
; CHECK-LABEL: @hidden(
; CHECK: [[WORDS:%[0-9]+]] = call i64 asm {{.*}}"=r,0{{.*}}"(i64 %w)
; CHECK: load i32, ptr %p
; CHECK: trunc i64 [[WORDS]] to i32
  %q = call ptr @kdsl.hidden.place(ptr %p)
  %h = call i64 @kdsl.hidden.words(i64 %w)
  %v = load i32, ptr %q
  %low = trunc i64 %h to i32
  %sum = add i32 %v, %low
  ret i32 %sum
}
; CHECK-NOT: @kdsl.hidden
declare ptr @kdsl.hidden.place(ptr)
declare i64 @kdsl.hidden.words(i64)
