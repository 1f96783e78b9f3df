; The functions that an iteration calls will be inlined in each copy: 16 copies would have more than 8192 instructions, so
; the request to unroll the loop goes.
; RUN-PASS: bound-unrolling --march=x86-64-v3
; CHECK: br label %latch
; CHECK: br label %head{{$}}
; CHECK-NOT: llvm.loop
define internal void @fn.a() alwaysinline { fence seq_cst fence seq_cst fence seq_cst fence seq_cst ret void }
define internal void @fn.b() alwaysinline { call void @fn.a() call void @fn.a() call void @fn.a() call void @fn.a() call void @fn.a() call void @fn.a() call void @fn.a() call void @fn.a() call void @fn.a() call void @fn.a() ret void }
define internal void @fn.c() alwaysinline { call void @fn.b() call void @fn.b() call void @fn.b() call void @fn.b() call void @fn.b() call void @fn.b() call void @fn.b() call void @fn.b() call void @fn.b() call void @fn.b() ret void }
define void @kernel() {
entry:
  br label %head
head:
  %i = phi i64 [ 0, %entry ], [ %next, %latch ]
  %more = icmp slt i64 %i, 16
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
!2 = !{i64 16}
