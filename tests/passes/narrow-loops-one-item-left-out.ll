; `if i == n { return; }`: the loop over items runs up to n, and from the one after it.
; RUN-PASS: narrow-loops --march=x86-64-v3
; CHECK: parts:
; CHECK: [[PART:%.*]] = phi i64 [ %lo, %entry ], [ [[BEHIND:%.*]], %parts.next ]
; CHECK: parts.next:
; CHECK: [[BEHIND]] = add nsw i64
; CHECK: br i1 {{%.*}}, label %parts, label %done
define void @f(ptr noalias %c, ptr noalias %a, i64 %lo, i64 %hi, i64 %n) {
entry:
  br label %head
head:
  %i = phi i64 [ %lo, %entry ], [ %next, %latch ]
  %more = icmp slt i64 %i, %hi
  br i1 %more, label %item, label %done
item:
  %c1 = icmp eq i64 %i, %n
  br i1 %c1, label %latch, label %then
then:
  %p = getelementptr i32, ptr %c, i64 %i
  store i32 1, ptr %p, align 4
  br label %latch
latch:
  %next = add nuw nsw i64 %i, 1
  br label %head, !kdsl.items !0
done:
  ret void
}
!0 = !{}
