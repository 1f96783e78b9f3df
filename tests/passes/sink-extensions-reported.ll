; An index that is wide only where the failure of its check is reported is computed there. One that another block stores
; stays.
; RUN-PASS: sink-extensions --offload-arch=sm_80
define void @kdsl_narrow_k(ptr %x, ptr %slot, i32 %k, i64 %gap, i32 %n) "kdsl-narrow" {
; CHECK-LABEL: @kdsl_narrow_k(
; CHECK: entry:
; CHECK-NOT: add nsw i64 {{.*}}, %gap
; CHECK: add i32
; CHECK: sub nsw i64
; CHECK: won:
; CHECK: add nsw i64 {{.*}}, %gap
; CHECK: ret void
entry:
  %wide = sext i32 %k to i64
  %i = add nsw i64 %wide, %gap
  %cut = trunc i64 %i to i32
  %j = sub nsw i64 %wide, %gap
  %cut.j = trunc i64 %j to i32
  %sum = or i32 %cut, %cut.j
  %inside = icmp ult i32 %sum, %n
  br i1 %inside, label %ok, label %fail
ok:
  store i64 %j, ptr %x
  br label %done
fail:
  %first = cmpxchg ptr %slot, i32 0, i32 1 monotonic monotonic, align 4, !kdsl.report !0
  %is.first = extractvalue { i32, i1 } %first, 1
  br i1 %is.first, label %won, label %done
won:
  %index = getelementptr i8, ptr %slot, i64 16
  store i64 %i, ptr %index
  br label %done
done:
  ret void
}
!0 = !{}
