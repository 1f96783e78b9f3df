; Where a kernel would have more than 16384 instructions, the bound is lowered until it does not.
; RUN-PASS: bound-inlining --march=x86-64-v3
define internal void @fn.a() alwaysinline { fence seq_cst fence seq_cst fence seq_cst fence seq_cst ret void }
define internal void @fn.b() alwaysinline { call void @fn.a() call void @fn.a() call void @fn.a() call void @fn.a() call void @fn.a() call void @fn.a() call void @fn.a() call void @fn.a() call void @fn.a() call void @fn.a() call void @fn.a() call void @fn.a() call void @fn.a() call void @fn.a() call void @fn.a() call void @fn.a() call void @fn.a() call void @fn.a() call void @fn.a() call void @fn.a() ret void }
define internal void @fn.c() alwaysinline { call void @fn.b() call void @fn.b() call void @fn.b() call void @fn.b() call void @fn.b() call void @fn.b() call void @fn.b() call void @fn.b() call void @fn.b() call void @fn.b() call void @fn.b() call void @fn.b() call void @fn.b() call void @fn.b() call void @fn.b() ret void }
define  void @kernel() nounwind { call void @fn.c() call void @fn.c() call void @fn.c() call void @fn.c() call void @fn.c() call void @fn.c() call void @fn.c() call void @fn.c() call void @fn.c() call void @fn.c() ret void }
; CHECK-DAG: define internal void @fn.b() [[INLINED:#[0-9]+]] {
; CHECK-DAG: define internal void @fn.c() [[KEPT:#[0-9]+]] {
; CHECK-DAG: attributes [[INLINED]] = { alwaysinline }
; CHECK-DAG: attributes [[KEPT]] = { noinline "kdsl-kept-call"="c" }
