; Branches whose paths do nothing but meet are selections: of both paths, of one, and of two values at once. Where a path
; loads, or meets more than the other one, the branch stays.
; RUN-PASS: prepare-nests --march=x86-64-v3
; CHECK-LABEL: body:
; CHECK: select i1 %c, i32 3, i32 -2
; CHECK: select i1 %d, i32 %{{.*}}, i32 %{{.*}}
; CHECK: br i1 %e, label %reads, label %end
define void @f(ptr noalias %x, ptr noalias %y, i64 %n) {
entry:
  br label %head
head:
  %i = phi i64 [ 0, %entry ], [ %next, %latch ]
  %more = icmp slt i64 %i, %n
  br i1 %more, label %body, label %done
body:
  %px = getelementptr i32, ptr %x, i64 %i
  %v = load i32, ptr %px, align 4
  %c = icmp eq i32 %v, 7
  br i1 %c, label %yes, label %no
yes:
  br label %meet
no:
  br label %meet
meet:
  %a = phi i32 [ 3, %yes ], [ -2, %no ]
  %s = add i32 %a, %v
  %d = icmp sgt i32 %s, %a
  br i1 %d, label %skip, label %on
skip:
  br label %on
on:
  %b = phi i32 [ %s, %skip ], [ %v, %meet ]
  %e = icmp sgt i32 %b, 5
  br i1 %e, label %reads, label %end
reads:
  %py = getelementptr i32, ptr %y, i64 %i
  %w = load i32, ptr %py, align 4
  br label %end
end:
  %r = phi i32 [ %w, %reads ], [ %b, %on ]
  store i32 %r, ptr %px, align 4
  br label %latch
latch:
  %next = add nsw i64 %i, 1
  br label %head, !kdsl.items !0
done:
  ret void
}
!0 = !{}
