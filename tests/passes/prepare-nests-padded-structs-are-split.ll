; Structs that are loaded, merged and stored as a whole are taken apart, also where they have padding; parts of a parameter
; are taken before the loop.
; RUN-PASS: prepare-nests --march=x86-64-v3
define void @f(ptr noalias %x, ptr noalias %y, i64 %n, { <3 x float>, i8 } %by) {
; CHECK-LABEL: define void @f(
; CHECK: extractvalue { <3 x float>, i8 } %by, 0
; CHECK: br label %head
; CHECK-NOT: {{insertvalue|extractvalue|extractelement|load \{|store \{|phi \{}}
; CHECK-COUNT-3: load float
; CHECK-COUNT-3: phi float
; CHECK: phi i8
; CHECK-COUNT-3: store float
; CHECK: store i8
entry:
  br label %head
head:
  %i = phi i64 [ 0, %entry ], [ %next, %latch ]
  %more = icmp slt i64 %i, %n
  br i1 %more, label %body, label %done
body:
  %p = getelementptr { <3 x float>, i8 }, ptr %x, i64 %i
  %v = load { <3 x float>, i8 }, ptr %p, align 16
  %first = extractvalue { <3 x float>, i8 } %v, 1
  %is = icmp eq i8 %first, 7
  br i1 %is, label %other, label %latch
other:
  br label %latch
latch:
  %merged = phi { <3 x float>, i8 } [ %v, %body ], [ %by, %other ]
  %q = getelementptr { <3 x float>, i8 }, ptr %y, i64 %i
  store { <3 x float>, i8 } %merged, ptr %q, align 16
  %next = add nsw i64 %i, 1
  br label %head, !kdsl.items !0
done:
  ret void
}
!0 = !{}
