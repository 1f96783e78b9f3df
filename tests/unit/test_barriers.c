/* test_barriers.c -- which barriers of a module may be reached by some items of a group only: the shapes that LLVM
 * made of reductions before they were written so that it cannot, what only looks like it, and what decides. */
#include <stdio.h>
#include <string.h>

#include <llvm-c/Core.h>
#include <llvm-c/IRReader.h>

#include "irgen/lang/marks.h"
#include "irgen/passes/barriers.h"

static int n_failed;

static const char declarations[] =
    "declare void @llvm.amdgcn.s.barrier()\n"
    "declare i32 @llvm.amdgcn.workitem.id.x()\n"
    "declare i32 @llvm.amdgcn.workgroup.id.x()\n"
    "declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32)\n"
    "declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()\n"
    "@s = internal addrspace(3) global [64 x i32] poison\n"
    "@kdsl.failed = internal addrspace(3) global i32 poison\n"
    "declare i32 @plain(i32, i32 \"kdsl-reported\")\n"
    "declare i32 @updates(i32) \"kdsl-differs\"\n";

/* `body` is a kernel of (ptr %x, i32 %n) in which %me is the item's number. `where`: the block that is found; NULL:
 * none. */
static void check(const char *what, const char *body, const char *where) {
    static char text[8192];
    LLVMContextRef context = LLVMContextCreate();
    LLVMModuleRef module;
    char *error = NULL;
    snprintf(text, sizeof text,
             "%sdefine amdgpu_kernel void @k(ptr addrspace(1) %%x, i32 %%n) {\nentry:\n"
             "  %%me = call i32 @llvm.amdgcn.workitem.id.x()\n%s}\n", declarations, body);
    LLVMMemoryBufferRef buffer = LLVMCreateMemoryBufferWithMemoryRangeCopy(text, strlen(text), what);
    if (LLVMParseIRInContext(context, buffer, &module, &error)) {
        fprintf(stderr, "%s: %s\n", what, error);
        n_failed++;
        return;
    }
    char *found = LLVMKdslDivergentBarrier(module), expected[64] = "";
    if (where) snprintf(expected, sizeof expected, "k, block %s", where);
    if (strcmp(found ? found : "", expected)) {
        fprintf(stderr, "%s: `%s`, expected `%s`\n", what, found ? found : "", expected);
        n_failed++;
    }
    if (found) LLVMDisposeMessage(found);
    LLVMDisposeModule(module);
    LLVMContextDispose(context);
}

#define BARRIER "  call void @llvm.amdgcn.s.barrier()\n"
#define MINE "  %p = getelementptr i32, ptr addrspace(3) @s, i32 %me\n"

static void loops(void) {
    check(
        "one loop, one latch",
        MINE
        "  br label %head\n"
        "head:\n  %h = phi i32 [ %n, %entry ], [ %half, %latch ]\n  %more = icmp ugt i32 %h, 1\n  br i1 %more, label "
        "%body, label %out\n"
        "body:\n  %half = lshr i32 %h, 1\n  %some = icmp ult i32 %me, %half\n  br i1 %some, label %low, label %latch\n"
        "low:\n  store i32 %h, ptr addrspace(3) %p\n  br label %latch\n"
        "latch:\n" BARRIER "  br label %head\nout:\n  ret void\n",
        NULL);
    check("the common store of entry and path has made two loops",
          MINE "  br label %sink\n"
          "sink:\n  %v = phi i32 [ 0, %entry ], [ 1, %low ]\n  %h0 = phi i32 [ %n, %entry ], [ %half, %low ]\n"
          "  store i32 %v, ptr addrspace(3) %p\n  br label %head\n"
          "head:\n  %h = phi i32 [ %h0, %sink ], [ %half, %body ]\n" BARRIER
          "  %more = icmp ugt i32 %h, 1\n  br i1 %more, label %body, label %out\n"
          "body:\n  %half = lshr i32 %h, 1\n  %some = icmp ult i32 %me, %half\n  br i1 %some, label %low, label %head\n"
          "low:\n  br label %sink\nout:\n  ret void\n", "head");
    check("some leave the loop earlier",
          "  br label %head\nhead:\n  %i = phi i32 [ 0, %entry ], [ %next, %head ]\n" BARRIER
          "  %next = add i32 %i, 1\n  %more = icmp ult i32 %next, %me\n  br i1 %more, label %head, label %out\n"
          "out:\n  ret void\n", "head");
    check("the loop of single items is another one",
          "  br label %outer\nouter:\n  %r = phi i32 [ 0, %entry ], [ %next, %meet ]\n  br label %own\n"
          "own:\n  %i = phi i32 [ 0, %outer ], [ %j, %own ]\n  %j = add i32 %i, 1\n  %c = icmp ult i32 %j, %me\n"
          "  br i1 %c, label %own, label %meet\n"
          "meet:\n" BARRIER
          "  %next = add i32 %r, 1\n  %d = icmp ult i32 %next, %n\n  br i1 %d, label %outer, label %out\n"
          "out:\n  ret void\n",
          NULL);
    check("how often single items run their loop decides how often all do",
          "  br label %own\n"
          "own:\n  %i = phi i32 [ 0, %entry ], [ %j, %own ]\n  %j = add i32 %i, 1\n  %c = icmp ult i32 %j, %me\n"
          "  br i1 %c, label %own, label %head\n"
          "head:\n  %r = phi i32 [ 0, %own ], [ %next, %head ]\n" BARRIER
          "  %next = add i32 %r, 1\n  %d = icmp ult i32 %next, %j\n  br i1 %d, label %head, label %out\n"
          "out:\n  ret void\n", "head");
}

static void conditions(void) {
    check("under a condition of the item",
          "  %c = icmp eq i32 %me, 0\n  br i1 %c, label %a, label %b\na:\n" BARRIER "  br label %b\nb:\n  ret void\n",
          "a");
    check("under a condition of the group",
          "  %g = call i32 @llvm.amdgcn.workgroup.id.x()\n  %c = icmp eq i32 %g, 0\n  br i1 %c, label %a, label %b\n"
          "a:\n" BARRIER "  br label %b\nb:\n  ret void\n", NULL);
    check("behind the return of some",
          "  %c = icmp eq i32 %me, 0\n  br i1 %c, label %a, label %b\na:\n  ret void\nb:\n" BARRIER "  ret void\n",
          "b");
    check("under an element that is the same for all",
          "  %v = load i32, ptr addrspace(3) @s\n  %c = icmp eq i32 %v, 0\n  br i1 %c, label %a, label %b\n"
          "a:\n" BARRIER "  br label %b\nb:\n  ret void\n", NULL);
    check("under an item's element",
          MINE "  %v = load i32, ptr addrspace(3) %p\n  %c = icmp eq i32 %v, 0\n  br i1 %c, label %a, label %b\n"
          "a:\n" BARRIER "  br label %b\nb:\n  ret void\n", "a");
    check("under what an atomic update gives",
          "  %v = atomicrmw add ptr addrspace(3) @s, i32 1 monotonic\n  %c = icmp eq i32 %v, 0\n"
          "  br i1 %c, label %a, label %b\na:\n" BARRIER "  br label %b\nb:\n  ret void\n", "a");
    check("NVIDIA's",
          "  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()\n  %c = icmp eq i32 %t, 0\n  br i1 %c, label %a, label %b\n"
          "a:\n  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)\n  br label %b\nb:\n  ret void\n", "a");
    check("worked out on both paths, and the same",
          "  %c = icmp eq i32 %me, 0\n  br i1 %c, label %a, label %b\na:\n  %u = udiv i32 %n, 7\n  br label %m\n"
          "b:\n  %v = udiv i32 %n, 7\n  br label %m\nm:\n  %w = phi i32 [ %u, %a ], [ %v, %b ]\n"
          "  %d = icmp eq i32 %w, 0\n  br i1 %d, label %y, label %z\ny:\n" BARRIER "  br label %z\nz:\n  ret void\n",
          NULL);
    check("the paths of a branch meet where another one ends, and bring the same",
          "  %g = call i32 @llvm.amdgcn.workgroup.id.x()\n  %e = icmp eq i32 %g, 0\n  br i1 %e, label %other, label "
          "%part\n"
          "other:\n  br label %m\npart:\n  %c = icmp eq i32 %me, 0\n  br i1 %c, label %a, label %m\na:\n  br label %m\n"
          "m:\n  %w = phi i32 [ 1, %other ], [ %n, %part ], [ %n, %a ]\n"
          "  %d = icmp eq i32 %w, 0\n  br i1 %d, label %y, label %z\ny:\n" BARRIER "  br label %z\nz:\n  ret void\n",
          NULL);
    check("worked out on both paths, and not the same",
          "  %c = icmp eq i32 %me, 0\n  br i1 %c, label %a, label %b\na:\n  %u = udiv i32 %n, 7\n  br label %m\n"
          "b:\n  %v = udiv i32 %n, 9\n  br label %m\nm:\n  %w = phi i32 [ %u, %a ], [ %v, %b ]\n"
          "  %d = icmp eq i32 %w, 0\n  br i1 %d, label %y, label %z\ny:\n" BARRIER "  br label %z\nz:\n  ret void\n",
          "y");
}

#define TAIL "  %d = icmp eq i32 %w, 0\n  br i1 %d, label %y, label %z\ny:\n" BARRIER "  br label %z\nz:\n  ret void\n"

static void memory_and_calls(void) {
    check("the thread's own memory, the same for all",
          "  %a = alloca i32, addrspace(5)\n  store i32 %n, ptr addrspace(5) %a\n  %w = load i32, ptr addrspace(5) "
          "%a\n" TAIL,
          NULL);
    check("the thread's own memory",
          "  %a = alloca i32, addrspace(5)\n  store i32 %me, ptr addrspace(5) %a\n  %w = load i32, ptr addrspace(5) "
          "%a\n" TAIL,
          "y");
    check("written by some only",
          "  %a = alloca i32, addrspace(5)\n  store i32 0, ptr addrspace(5) %a\n  %c = icmp eq i32 %me, 0\n"
          "  br i1 %c, label %s, label %m\ns:\n  store i32 1, ptr addrspace(5) %a\n  br label %m\n"
          "m:\n  %w = load i32, ptr addrspace(5) %a\n" TAIL, "y");
    check("written by those that stay",
          "  %a = alloca i32, addrspace(5)\n  store i32 0, ptr addrspace(5) %a\n  %c = icmp eq i32 %me, 0\n"
          "  br i1 %c, label %s, label %ok\ns:\n  store volatile i32 1, ptr addrspace(3) @kdsl.failed\n  br label %m\n"
          "ok:\n  store i32 1, ptr addrspace(5) %a\n  br label %m\n"
          "m:\n  %w = load i32, ptr addrspace(5) %a\n" TAIL, NULL);
    check("a call with arguments that are the same", "  %w = call i32 @plain(i32 %n, i32 %me)\n" TAIL, NULL);
    check("a call with an argument that is not", "  %w = call i32 @plain(i32 %me, i32 0)\n" TAIL, "y");
    check("a call that updates", "  %w = call i32 @updates(i32 %n)\n" TAIL, "y");
}

int main(void) {
    loops();
    conditions();
    memory_and_calls();
    return n_failed != 0;
}
