/* bound_unrolling.c -- a limit on full unrolling, so that compile time stays linear in the size of the program.
 *
 * Code generation requests that loops over arrays of constant extents are unrolled, so that the array becomes registers
 * (lang/frame.c). It bounds the number of iterations, but does not know how large one is: that depends on the functions
 * it calls. LLVM unrolls such a loop whatever its size, after it has inlined these calls. So each request is followed
 * only if all iterations together, with inlined callees and the copies of loops inside, stay below a number of
 * instructions. Otherwise LLVM decides as about any other loop. Of loops inside each other the inner ones come first.
 *
 * Host code is executed once, beside launches: its limit is lower. */
#include "irgen/passes/passes.h"

#include <stdlib.h>

/* Counted in instructions before optimisation. */
enum { MOST_OF_HOST = 2048, MOST_OF_DEVICE = 8192, MOST_LEVELS = 64 };

typedef Vec(LLVMBasicBlockRef) Blocks;

typedef struct Request {
    LLVMValueRef branch; /* the back edge */
    int64_t copies;      /* iterations */
    Blocks loop;         /* the head first */
} Request;
typedef Vec(Request) Requests;

typedef struct Unrolling {
    Cg *cg;
    ValueMap *known; /* functions, by their place in `sizes` */
    Vec(int64_t) sizes;
    unsigned loop, copies, never; /* kinds of metadata; an attribute */
    int64_t most;                 /* instructions of an unrolled loop */
    int levels;                   /* of calls inside each other */
} Unrolling;

static int64_t capped(int64_t n) { return n < INT32_MAX ? n : INT32_MAX; }

/* Requests --------------------------------------------------------------------------------------------------------- */

/* 0: none. */
static int64_t copies_of(const Unrolling *u, LLVMValueRef branch) {
    LLVMValueRef note = branch ? LLVMGetMetadata(branch, u->copies) : NULL, n;
    if (!note || LLVMGetMDNodeNumOperands(note) != 1 || LLVMGetNumSuccessors(branch) != 1) return 0;
    LLVMGetMDNodeOperands(note, &n);
    return n && LLVMIsAConstantInt(n) ? LLVMConstIntGetSExtValue(n) : 0;
}

/* The natural loop of the back edge: what reaches it without passing the head. */
static void find_loop(Unrolling *u, Request *r) {
    Arena *arena = &u->cg->c->arena;
    ValueMap *seen = value_map_new(arena, 16);
    LLVMBasicBlockRef ends[2] = {LLVMGetSuccessor(r->branch, 0), LLVMGetInstructionParent(r->branch)};
    for (int i = 0; i < 2; i++) {
        if (value_map_get(seen, ends[i]) >= 0) continue;
        value_map_put(seen, ends[i], 1);
        vec_push(arena, &r->loop, ends[i]);
    }
    for (int i = 1; i < r->loop.n; i++)
        for (LLVMUseRef use = LLVMGetFirstUse(LLVMBasicBlockAsValue(r->loop.at[i])); use; use = LLVMGetNextUse(use)) {
            LLVMValueRef user = LLVMGetUser(use);
            LLVMBasicBlockRef from = LLVMIsATerminatorInst(user) ? LLVMGetInstructionParent(user) : NULL;
            if (!from || value_map_get(seen, from) >= 0) continue;
            value_map_put(seen, from, 1);
            vec_push(arena, &r->loop, from);
        }
}

static int by_size(const void *a, const void *b) { return ((const Request *)a)->loop.n - ((const Request *)b)->loop.n; }

static void find_requests(Unrolling *u, LLVMValueRef fn, Requests *found) {
    for (LLVMBasicBlockRef bb = LLVMGetFirstBasicBlock(fn); bb; bb = LLVMGetNextBasicBlock(bb)) {
        Request r = {.branch = LLVMGetBasicBlockTerminator(bb)};
        r.copies = copies_of(u, r.branch);
        if (!r.copies) continue;
        find_loop(u, &r);
        vec_push(&u->cg->c->arena, found, r);
    }
    if (found->n) qsort(found->at, (size_t)found->n, sizeof *found->at, by_size); /* inner loops are smaller */
}

/* Sizes ------------------------------------------------------------------------------------------------------------ */

static int64_t size_of(Unrolling *u, LLVMValueRef fn);

static bool has(LLVMValueRef fn, unsigned attribute) {
    return LLVMGetEnumAttributeAtIndex(fn, LLVMAttributeFunctionIndex, attribute) != NULL;
}

static int64_t size_of_call(Unrolling *u, LLVMValueRef inst) {
    LLVMValueRef callee = LLVMIsACallInst(inst) ? LLVMGetCalledValue(inst) : NULL;
    if (!callee || !LLVMIsAFunction(callee) || LLVMIsDeclaration(callee) || has(callee, u->never)) return 1;
    return size_of(u, callee);
}

static int64_t size_of_block(Unrolling *u, LLVMBasicBlockRef bb) {
    int64_t n = 0;
    for (LLVMValueRef i = LLVMGetFirstInstruction(bb); i; i = LLVMGetNextInstruction(i))
        n = capped(n + size_of_call(u, i));
    return n;
}

/* Follows the requests that are small enough, and drops the others. Returns the size of the function with copies. */
static int64_t decide(Unrolling *u, LLVMValueRef fn) {
    Arena *arena = &u->cg->c->arena;
    Requests requests = {0};
    find_requests(u, fn, &requests);
    int n = (int)LLVMCountBasicBlocks(fn), k = 0;
    int64_t *sizes = arena_array(arena, int64_t, n), all = 0;
    ValueMap *number = value_map_new(arena, n);
    for (LLVMBasicBlockRef bb = LLVMGetFirstBasicBlock(fn); bb; bb = LLVMGetNextBasicBlock(bb), k++) {
        sizes[k] = size_of_block(u, bb);
        value_map_put(number, bb, k);
    }
    for (int i = 0; i < requests.n; i++) {
        const Request *r = &requests.at[i];
        int64_t size = 0;
        for (int b = 0; b < r->loop.n; b++) size = capped(size + sizes[value_map_get(number, r->loop.at[b])]);
        bool fits = r->copies <= u->most / (size ? size : 1);
        for (int b = 0; b < r->loop.n && fits; b++) sizes[value_map_get(number, r->loop.at[b])] *= r->copies;
        if (!fits) LLVMSetMetadata(r->branch, u->loop, NULL);
        LLVMSetMetadata(r->branch, u->copies, NULL);
    }
    for (int b = 0; b < n; b++) all = capped(all + sizes[b]);
    return all;
}

/* Calls beyond MOST_LEVELS, as in a recursion, count as calls. */
static int64_t size_of(Unrolling *u, LLVMValueRef fn) {
    int i = value_map_get(u->known, fn);
    if (i >= 0) return u->sizes.at[i];
    if (u->levels >= MOST_LEVELS) return 1;
    i = u->sizes.n;
    value_map_put(u->known, fn, i);
    vec_push(&u->cg->c->arena, &u->sizes, 1); /* until it is known */
    u->levels++;
    int64_t size = decide(u, fn);
    u->levels--;
    return u->sizes.at[i] = size;
}

void cg_bound_unrolling(Cg *cg) {
    Unrolling u = {.cg = cg,
                   .known = value_map_new(&cg->c->arena, 64),
                   .loop = LLVMGetMDKindIDInContext(cg->ctx, "llvm.loop", 9),
                   .copies = LLVMGetMDKindIDInContext(cg->ctx, CG_COPIES, sizeof CG_COPIES - 1),
                   .never = LLVMGetEnumAttributeKindForName("noinline", 8),
                   .most = cg->target->is_program ? MOST_OF_HOST : MOST_OF_DEVICE};
    for (LLVMValueRef fn = LLVMGetFirstFunction(cg->module); fn; fn = LLVMGetNextFunction(fn))
        if (!LLVMIsDeclaration(fn)) size_of(&u, fn);
}
