; The unrolled loop of a callee counts with all its copies: 20 times 57 instructions there, and eight times that here.
; RUN-PASS: bound-unrolling --march=x86-64-v3
define internal void @fn.a() alwaysinline { fence seq_cst fence seq_cst fence seq_cst fence seq_cst ret void }
define internal void @fn.b() alwaysinline { call void @fn.a() call void @fn.a() call void @fn.a() call void @fn.a() call void @fn.a() call void @fn.a() call void @fn.a() call void @fn.a() call void @fn.a() call void @fn.a() ret void }
define internal void @fn.c() alwaysinline { call void @fn.b() call void @fn.b() call void @fn.b() call void @fn.b() call void @fn.b() call void @fn.b() call void @fn.b() call void @fn.b() call void @fn.b() call void @fn.b() ret void }
; CHECK-LABEL: define internal void @fn.loop
define internal void @fn.loop() alwaysinline {
entry:
  br label %inner
inner:
  %j = phi i64 [ 0, %entry ], [ %j1, %round ]
  %again = icmp slt i64 %j, 20
  br i1 %again, label %body, label %after
body:
  call void @fn.b()
  br label %round
round:
  %j1 = add nsw i64 %j, 1
; CHECK: br label %inner, !llvm.loop
  br label %inner, !llvm.loop !3, !kdsl.copies !4
after:
  ret void
}
; CHECK: br label %head{{$}}
define void @kernel() {
entry:
  br label %head
head:
  %i = phi i64 [ 0, %entry ], [ %next, %latch ]
  %more = icmp slt i64 %i, 8
  br i1 %more, label %body, label %done
body:
  call void @fn.loop()
  br label %latch
latch:
  %next = add nsw i64 %i, 1
  br label %head, !llvm.loop !0, !kdsl.copies !2
done:
  ret void
}
!0 = distinct !{!0, !1}
!1 = !{!"llvm.loop.unroll.full"}
!2 = !{i64 8}
!3 = distinct !{!3, !1}
!4 = !{i64 20}
