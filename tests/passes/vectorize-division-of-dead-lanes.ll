; Divisions of floats do not trap: a division of integers that is one of floats does not wait for the mask of its lanes. What
; lanes get that do not come to it is anything, but the same wherever it is used. 53 bits are exact.
; RUN-PASS: vectorize --march=x86-64-v3
; CHECK: vectors:
; CHECK: [[V:%.*]] = load <8 x i32>
; CHECK: some:
; CHECK: [[D:%.*]] = sitofp <8 x i32> [[V]] to <8 x double>
; CHECK: [[R:%.*]] = fdiv <8 x double> splat (double 1.000000e+03), [[D]]
; CHECK: [[Q:%.*]] = fptosi <8 x double> [[R]] to <8 x i32>
; CHECK: freeze <8 x i32> [[Q]]
; CHECK: pieces:
define void @f(ptr noalias %x, ptr noalias %y, i64 %n) {
entry:
  br label %head
head:
  %i = phi i64 [ 0, %entry ], [ %next, %latch ]
  %more = icmp slt i64 %i, %n
  br i1 %more, label %body, label %done
body:
  %p = getelementptr i32, ptr %x, i64 %i
  %v = load i32, ptr %p, align 4
  %c = icmp ne i32 %v, 0
  br i1 %c, label %then, label %latch
then:
  %d = sdiv i32 1000, %v
  %q = getelementptr i32, ptr %y, i64 %i
  store i32 %d, ptr %q, align 4
  br label %latch
latch:
  %next = add nsw i64 %i, 1
  br label %head, !kdsl.items !0
done:
  ret void
}
!0 = !{}
