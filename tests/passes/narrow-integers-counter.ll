; A counter that stays below a size has 32 bits, with its sum, its comparison and the offset of an element. The sum of
; three sizes may have 33.
; RUN-PASS: narrow-integers --offload-arch=sm_80
define i64 @kdsl_narrow_k(ptr %x, i64 range(i64 0, 2147418113) %n, i64 range(i64 0, 2147418113) %m) "kdsl-narrow" {
; CHECK-LABEL: @kdsl_narrow_k(
; CHECK: %all = add nuw nsw i64 {{.*}}, %m
; CHECK: phi i32 [ %next{{[0-9]*}}, %body ], [ 0, %entry ]
; CHECK: sext i32 {{%k[0-9]*}} to i64
; CHECK: add nuw nsw i32 {{%k[0-9]*}}, 1
; CHECK: icmp {{[su]}}lt i32
; CHECK-NOT: i64 %next
; CHECK: ret i64 %all
entry:
  %both = add nuw nsw i64 %n, %m
  %all = add nuw nsw i64 %both, %m
  %any = icmp sgt i64 %n, 0
  br i1 %any, label %body, label %done
body:
  %k = phi i64 [ %next, %body ], [ 0, %entry ]
  %p = getelementptr float, ptr %x, i64 %k
  store float 0.0, ptr %p
  %next = add nuw nsw i64 %k, 1
  %more = icmp slt i64 %next, %n
  br i1 %more, label %body, label %done
done:
  ret i64 %all
}
