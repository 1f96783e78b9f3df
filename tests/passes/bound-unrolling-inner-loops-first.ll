; Copies of an inner loop are part of an iteration of the outer one: 20 iterations of the inner loop, of 57 instructions
; each, are unrolled; 10 of the outer one would have more than 8192, and stay a loop.
; RUN-PASS: bound-unrolling --march=x86-64-v3
define internal void @fn.a() alwaysinline { fence seq_cst fence seq_cst fence seq_cst fence seq_cst ret void }
define internal void @fn.b() alwaysinline { call void @fn.a() call void @fn.a() call void @fn.a() call void @fn.a() call void @fn.a() call void @fn.a() call void @fn.a() call void @fn.a() call void @fn.a() call void @fn.a() ret void }
define internal void @fn.c() alwaysinline { call void @fn.b() call void @fn.b() call void @fn.b() call void @fn.b() call void @fn.b() call void @fn.b() call void @fn.b() call void @fn.b() call void @fn.b() call void @fn.b() ret void }
; CHECK-LABEL: define void @kernel
define void @kernel() {
entry:
  br label %head
head:
  %i = phi i64 [ 0, %entry ], [ %next, %latch ]
  %more = icmp slt i64 %i, 10
  br i1 %more, label %inner, label %done
inner:
  %j = phi i64 [ 0, %head ], [ %j1, %round ]
  %again = icmp slt i64 %j, 20
  br i1 %again, label %body, label %latch
body:
  call void @fn.b()
  br label %round
round:
  %j1 = add nsw i64 %j, 1
; CHECK: br label %inner, !llvm.loop [[INNER:![0-9]+]]{{$}}
  br label %inner, !llvm.loop !3, !kdsl.copies !4
latch:
  %next = add nsw i64 %i, 1
; CHECK: br label %head{{$}}
  br label %head, !llvm.loop !0, !kdsl.copies !2
done:
  ret void
}
; CHECK: [[INNER]] = distinct
!0 = distinct !{!0, !1}
!1 = !{!"llvm.loop.unroll.full"}
!2 = !{i64 10}
!3 = distinct !{!3, !1}
!4 = !{i64 20}
