; Lanes that do not come to a division divide by 1: theirs may be 0. The others divide as numbers of 53 bits, which is exact.
; RUN-PASS: vectorize --march=x86-64-v3
; CHECK: vectors:
; CHECK: [[V:%.*]] = load <8 x i32>
; CHECK: some:
; CHECK: [[BY:%.*]] = select <8 x i1> {{%.*}}, <8 x i32> [[V]], <8 x i32> splat (i32 1)
; CHECK: [[D:%.*]] = sitofp <8 x i32> [[BY]] to <8 x double>
; CHECK: fdiv <8 x double> splat (double 1.000000e+03), [[D]]
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
