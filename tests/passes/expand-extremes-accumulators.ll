; An accumulator that begins with a number stays one, whatever it is compared with: no test for NaN in the loop, even if
; it passes through several steps and selections.
; RUN-PASS: expand-extremes --march=x86-64-v3
define float @least(ptr %x, i64 %n, i1 %c) {
; CHECK-LABEL: @least(
; CHECK-NOT: uno
; CHECK: fcmp olt float %a, %s
; CHECK-NOT: uno
; CHECK: ret float
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %s = phi float [ 0x7FF0000000000000, %entry ], [ %kept, %loop ]
  %at = getelementptr float, ptr %x, i64 %i
  %a = load float, ptr %at
  %t = call float @llvm.minimumnum.f32(float %s, float %a)
  %b = fmul float %a, %a
  %u = call float @llvm.minimumnum.f32(float %b, float %t)
  %kept = select i1 %c, float %u, float %t
  %next = add i64 %i, 1
  %more = icmp slt i64 %next, %n
  br i1 %more, label %loop, label %done
done:
  ret float %kept
}
define float @begins_anyhow(ptr %x, i64 %n, float %begin) {
; CHECK-LABEL: @begins_anyhow(
; CHECK: fcmp uno
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %s = phi float [ %begin, %entry ], [ %t, %loop ]
  %at = getelementptr float, ptr %x, i64 %i
  %a = load float, ptr %at
  %t = call float @llvm.minimumnum.f32(float %s, float %a)
  %next = add i64 %i, 1
  %more = icmp slt i64 %next, %n
  br i1 %more, label %loop, label %done
done:
  ret float %t
}
declare float @llvm.minimumnum.f32(float, float)
