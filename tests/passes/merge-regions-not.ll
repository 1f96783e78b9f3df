; What may fork by itself keeps a loop from having a team: functions of other languages, of which nothing is known, those of
; the C library that may do anything, and asynchronous launches, which fork on another thread. A loop within such a loop may have one. Recursive functions, and loops
; without launches, have none.
; RUN-PASS: merge-regions
declare i32 @kdsl_launch()
declare void @kdsl_async()
declare void @elsewhere()
define void @calls_c(i64 %n) {
; CHECK-LABEL: define {{.*}}@calls_c(
; CHECK: outer:
; CHECK: call void @kdsl_team_begin()
; CHECK: inner:
; CHECK: next:
; CHECK-NEXT: call void @kdsl_team_end()
; CHECK-NEXT: call void @elsewhere()
; CHECK-NOT: kdsl_team
; CHECK: ret void
entry:
  br label %outer
outer:
  %i = phi i64 [ 0, %entry ], [ %i.next, %next ]
  br label %inner
inner:
  %j = phi i64 [ 0, %outer ], [ %j.next, %inner ]
  %rc = call i32 @kdsl_launch()
  %j.next = add i64 %j, 1
  %more = icmp ult i64 %j.next, %n
  br i1 %more, label %inner, label %next
next:
  call void @elsewhere()
  %i.next = add i64 %i, 1
  %again = icmp ult i64 %i.next, %n
  br i1 %again, label %outer, label %done
done:
  ret void
}
define void @asynchronous(i64 %n) {
; CHECK-LABEL: define {{.*}}@asynchronous(
; CHECK-NOT: kdsl_team
; CHECK: ret void
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %rc = call i32 @kdsl_launch()
  call void @kdsl_async()
  %next = add i64 %i, 1
  %again = icmp ult i64 %next, %n
  br i1 %again, label %loop, label %done
done:
  ret void
}
define void @through_a_pointer(i64 %n, ptr %f) {
; CHECK-LABEL: define {{.*}}@through_a_pointer(
; CHECK-NOT: kdsl_team
; CHECK: ret void
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %rc = call i32 @kdsl_launch()
  call void %f()
  %next = add i64 %i, 1
  %again = icmp ult i64 %next, %n
  br i1 %again, label %loop, label %done
done:
  ret void
}
define void @recursive(i64 %n) {
; CHECK-LABEL: define {{.*}}@recursive(
; CHECK-NOT: kdsl_team
; CHECK: ret void
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %rc = call i32 @kdsl_launch()
  call void @recursive(i64 %i)
  %next = add i64 %i, 1
  %again = icmp ult i64 %next, %n
  br i1 %again, label %loop, label %done
done:
  ret void
}
define void @no_launch(i64 %n, ptr %x) {
; CHECK-LABEL: define {{.*}}@no_launch(
; CHECK-NOT: kdsl_team
; CHECK: ret void
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  store i64 %i, ptr %x
  %next = add i64 %i, 1
  %again = icmp ult i64 %next, %n
  br i1 %again, label %loop, label %done
done:
  ret void
}
declare i32 @fork()
define void @forks(i64 %n) {
; CHECK-LABEL: define {{.*}}@forks(
; CHECK-NOT: kdsl_team
; CHECK: ret void
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %rc = call i32 @kdsl_launch()
  %child = call i32 @fork()
  %next = add i64 %i, 1
  %again = icmp ult i64 %next, %n
  br i1 %again, label %loop, label %done
done:
  ret void
}
