; A function of more than 2048 instructions that is called from one place only is inlined: nothing is copied.
; RUN-PASS: bound-inlining --march=x86-64-v3
define internal void @fn.a() alwaysinline { fence seq_cst fence seq_cst fence seq_cst fence seq_cst ret void }
define internal void @fn.b() alwaysinline { call void @fn.a() call void @fn.a() call void @fn.a() call void @fn.a() call void @fn.a() call void @fn.a() call void @fn.a() call void @fn.a() call void @fn.a() call void @fn.a() ret void }
define internal void @fn.c() alwaysinline { call void @fn.b() call void @fn.b() call void @fn.b() call void @fn.b() call void @fn.b() call void @fn.b() call void @fn.b() call void @fn.b() call void @fn.b() call void @fn.b() ret void }
define internal void @fn.d() alwaysinline { call void @fn.c() call void @fn.c() call void @fn.c() call void @fn.c() call void @fn.c() ret void }
define void @kernel() {
  call void @fn.d()
  ret void
}
; CHECK-NOT: noinline
; CHECK-NOT: kdsl-kept-call
