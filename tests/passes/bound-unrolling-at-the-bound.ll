; An iteration of 517 instructions, with the functions that it calls: 15 of them are fewer than 8192, so LLVM unrolls the
; loop. The number of iterations is of no use afterwards.
; RUN-PASS: bound-unrolling --march=x86-64-v3
; CHECK: br label %head, !llvm.loop [[LOOP:![0-9]+]]{{$}}
; CHECK: [[LOOP]] = distinct !{[[LOOP]], [[FULL:![0-9]+]]}
; CHECK: [[FULL]] = !{!"llvm.loop.unroll.full"}
define internal void @fn.a() alwaysinline { fence seq_cst fence seq_cst fence seq_cst fence seq_cst ret void }
define internal void @fn.b() alwaysinline { call void @fn.a() call void @fn.a() call void @fn.a() call void @fn.a() call void @fn.a() call void @fn.a() call void @fn.a() call void @fn.a() call void @fn.a() call void @fn.a() ret void }
define internal void @fn.c() alwaysinline { call void @fn.b() call void @fn.b() call void @fn.b() call void @fn.b() call void @fn.b() call void @fn.b() call void @fn.b() call void @fn.b() call void @fn.b() call void @fn.b() ret void }
define void @kernel() {
entry:
  br label %head
head:
  %i = phi i64 [ 0, %entry ], [ %next, %latch ]
  %more = icmp slt i64 %i, 15
  br i1 %more, label %body, label %done
body:
  call void @fn.c()
  br label %latch
latch:
  %next = add nsw i64 %i, 1
  br label %head, !llvm.loop !0, !kdsl.copies !2
done:
  ret void
}
!0 = distinct !{!0, !1}
!1 = !{!"llvm.loop.unroll.full"}
!2 = !{i64 15}
