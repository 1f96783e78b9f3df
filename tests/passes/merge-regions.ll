; A loop that launches has one team, from before the loop to each of its ends; of a nest, the outermost loop. Functions of
; the program are looked into, and those of the C library and of the runtime do not fork.
; RUN-PASS: merge-regions
declare i32 @kdsl_launch()
declare void @kdsl_text_print()
declare double @sin(double)
define void @nest(i64 %n) {
; CHECK-LABEL: define {{.*}}@nest(
; CHECK: call void @kdsl_team_begin()
; CHECK: outer:
; CHECK-NOT: kdsl_team
; CHECK: done:
; CHECK-NEXT: call void @kdsl_team_end()
; CHECK-NEXT: ret void
entry:
  br label %outer
outer:
  %i = phi i64 [ 0, %entry ], [ %i.next, %next ]
  br label %inner
inner:
  %j = phi i64 [ 0, %outer ], [ %j.next, %inner ]
  call void @step()
  call void @kdsl_text_print()
  %s = call double @sin(double 1.0)
  %j.next = add i64 %j, 1
  %more = icmp ult i64 %j.next, %n
  br i1 %more, label %inner, label %next
next:
  %i.next = add i64 %i, 1
  %again = icmp ult i64 %i.next, %n
  br i1 %again, label %outer, label %done
done:
  ret void
}
define void @step() {
; CHECK-LABEL: define {{.*}}@step(
; CHECK-NOT: kdsl_team
; CHECK: ret void
  %rc = call i32 @kdsl_launch()
  ret void
}
; Two ends, one of which is a failure: that one has no call, because the runtime ends the team.
declare void @kdsl_fail_index()
define i64 @two_ends(i64 %n) {
; CHECK-LABEL: define {{.*}}@two_ends(
; CHECK: call void @kdsl_team_begin()
; CHECK: call void @kdsl_team_end()
; CHECK: ret i64 1
; CHECK: call void @kdsl_team_end()
; CHECK: ret i64 0
; CHECK-NOT: kdsl_team
; CHECK: unreachable
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %more ]
  %rc = call i32 @kdsl_launch()
  switch i32 %rc, label %more [ i32 1, label %found
                                i32 2, label %wrong ]
more:
  %next = add i64 %i, 1
  %again = icmp ult i64 %next, %n
  br i1 %again, label %loop, label %done
found:
  ret i64 1
done:
  ret i64 0
wrong:
  call void @kdsl_fail_index()
  unreachable
}
