; Each block that uses a number as 64 bits extends it itself, with its sign; of a number that was loaded in another block,
; a copy is extended.
; RUN-PASS: sink-extensions --offload-arch=sm_80
define void @kdsl_narrow_k(ptr %x, ptr %y, i32 %k, i32 %n) "kdsl-narrow" {
; CHECK-LABEL: @kdsl_narrow_k(
; CHECK: entry:
; CHECK-NOT: zext
; CHECK: inside:
; CHECK-DAG: [[K:%.*]] = sext i32 %k to i64
; CHECK-DAG: [[V:%.*]] = freeze i32 %v
; CHECK-DAG: sext i32 [[V]] to i64
; CHECK: ret void
entry:
  %wide = zext nneg i32 %k to i64
  %p = getelementptr i32, ptr %x, i64 %wide
  %v = load i32, ptr %p
  %v.wide = zext nneg i32 %v to i64
  %some = icmp ult i32 %v, %n
  br i1 %some, label %inside, label %done
inside:
  %q = getelementptr i32, ptr %y, i64 %v.wide
  store i32 1, ptr %q
  %r = getelementptr i32, ptr %y, i64 %wide
  store i32 2, ptr %r
  br label %done
done:
  ret void
}
