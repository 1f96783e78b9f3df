; Only a function that may not return loses what it says of memory: FastISel would drop a call of it whose result is unused.
; RUN-PASS: keep-endless --march=x86-64-v3
define internal void @waits(i64 %n) #0 {
  br label %loop
loop:
  br label %loop
}
define internal i64 @adds(i64 %n) #1 {
  %sum = add i64 %n, 1
  ret i64 %sum
}
declare i64 @outside(i64) #2
define void @k(i64 %n) #3 {
  call void @waits(i64 %n)
  ret void
}
attributes #0 = { nounwind memory(none) }
attributes #1 = { nounwind willreturn memory(none) }
attributes #2 = { nounwind memory(read) }
attributes #3 = { noinline optnone }
; CHECK: define internal void @waits(i64 %n) [[WAITS:#[0-9]+]] {
; CHECK: define internal i64 @adds(i64 %n) [[ADDS:#[0-9]+]] {
; CHECK: declare i64 @outside(i64) [[OUTSIDE:#[0-9]+]]
; CHECK: attributes [[WAITS]] = { nounwind }
; CHECK: attributes [[ADDS]] = { nounwind willreturn memory(none) }
; CHECK: attributes [[OUTSIDE]] = { nounwind memory(read) }
