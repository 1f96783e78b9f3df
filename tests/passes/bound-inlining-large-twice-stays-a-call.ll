; A function of more than 2048 instructions, with all that it calls, stays a call where it is called twice, under its name.
; RUN-PASS: bound-inlining --march=x86-64-v3
define internal void @fn.a() alwaysinline { fence seq_cst fence seq_cst fence seq_cst fence seq_cst ret void }
define internal void @fn.b() alwaysinline { call void @fn.a() call void @fn.a() call void @fn.a() call void @fn.a() call void @fn.a() call void @fn.a() call void @fn.a() call void @fn.a() call void @fn.a() call void @fn.a() ret void }
define internal void @fn.c() alwaysinline { call void @fn.b() call void @fn.b() call void @fn.b() call void @fn.b() call void @fn.b() call void @fn.b() call void @fn.b() call void @fn.b() call void @fn.b() call void @fn.b() ret void }
define internal void @fn.d.item() alwaysinline { call void @fn.c() call void @fn.c() call void @fn.c() call void @fn.c() call void @fn.c() ret void }
; CHECK: define internal void @fn.c() [[INLINED:#[0-9]+]] {
; CHECK: define internal void @fn.d.item() [[KEPT:#[0-9]+]] {
define void @kernel() {
  call void @fn.d.item()
  call void @fn.d.item()
  ret void
}
; CHECK-DAG: attributes [[INLINED]] = { alwaysinline }
; CHECK-DAG: attributes [[KEPT]] = { noinline "kdsl-kept-call"="d" }
