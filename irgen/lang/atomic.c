/* atomic.c -- atomic updates of elements: relaxed, visible to the whole device (the target row names the scope). An
 * update that LLVM has with our meaning is one atomicrmw, which a back end without the instruction expands to a
 * compare-and-swap loop. Float min and max are such a loop here, because no atomicrmw follows the language's rule for
 * NaN and signed zeros. So are all min and max on CPUs, which have no instruction for them: there the loop writes only
 * what changes the element, while LLVM's expansion swaps once at least. An update that changes nothing, of which the
 * old value is wanted, is an atomic load, and on CPUs an exchange without its old value an atomic store. Where only one
 * thread can access the element, updates are ordinary: on the host, in `shared` arrays of groups that are loops, and in
 * private copies of arrays (cpu/private.c). */
#include "irgen/lang/lang.h"

#include <math.h>
#include <string.h>

enum { NO_RMW = -1 }; /* LLVM has no such instruction */

typedef struct Update {
    AtomicKind kind;
    CgValue was; /* ATOMIC_COMPARE_AND_SWAP */
    Span span;
    bool in_group; /* of a `shared` array */
    bool only_reads, only_writes;
} Update;

static bool may_run_in_parallel(const CgFunc *f, const Expr *target) {
    const Symbol *sym = expr_root(target);
    if (sym && sym->is_shared && f->cg->target->group_is_loop) return false;
    if (sym && f->slots[sym->id].is_private) return false;
    return f->is_kernel || f->func->is_kernel || f->func->on_device;
}

unsigned cg_atomic_scope(Cg *cg) {
    const char *name = cg->target->atomic_scope ? cg->target->atomic_scope : "";
    return LLVMGetSyncScopeID(cg->ctx, name, strlen(name));
}

/* `shared` arrays are visible only to their group. */
static unsigned scope_of(const Cg *cg, const Update *u) {
    const Gpu *gpu = u->in_group ? cg->target->gpu : NULL;
    return gpu ? LLVMGetSyncScopeID(cg->ctx, gpu->group_scope, strlen(gpu->group_scope)) : cg_atomic_scope((Cg *)cg);
}

static CgValue updated(CgFunc *f, const Update *u, CgValue old, CgValue v) {
    const AtomicRow *row = &atomic_rows[u->kind];
    if (row->is_min || row->is_max) return cg_minmax(f, row->is_max, old, v);
    if (row->compares) {
        LLVMValueRef same = LLVMBuildICmp(f->b, LLVMIntEQ, old.v, u->was.v, "");
        return cg_value(LLVMBuildSelect(f->b, same, v.v, old.v, ""), old.type);
    }
    if (row->op == OP_NONE) return v;
    return cg_binary(f, row->op, old, v, NULL, u->span);
}

/* LLVM's instruction for signed and unsigned integers and for floats; NO_RMW: where a compare-and-swap loop does it. */
static const int instructions[ATOMIC__COUNT][3] = {
#define RMW_ADD LLVMAtomicRMWBinOpAdd, LLVMAtomicRMWBinOpAdd, LLVMAtomicRMWBinOpFAdd
#define RMW_SUB LLVMAtomicRMWBinOpSub, LLVMAtomicRMWBinOpSub, LLVMAtomicRMWBinOpFSub
#define RMW_AND LLVMAtomicRMWBinOpAnd, LLVMAtomicRMWBinOpAnd, NO_RMW
#define RMW_OR LLVMAtomicRMWBinOpOr, LLVMAtomicRMWBinOpOr, NO_RMW
#define RMW_XOR LLVMAtomicRMWBinOpXor, LLVMAtomicRMWBinOpXor, NO_RMW
#define RMW_MIN LLVMAtomicRMWBinOpMin, LLVMAtomicRMWBinOpUMin, NO_RMW
#define RMW_MAX LLVMAtomicRMWBinOpMax, LLVMAtomicRMWBinOpUMax, NO_RMW
#define RMW_EXCHANGE LLVMAtomicRMWBinOpXchg, LLVMAtomicRMWBinOpXchg, LLVMAtomicRMWBinOpXchg
#define RMW_COMPARE_AND_SWAP NO_RMW, NO_RMW, NO_RMW
#define ATOMIC(id, ...) [ATOMIC_##id] = {RMW_##id},
#include "sema/atomic.def"
#undef ATOMIC
};

static bool is_extreme(const Update *u) { return atomic_rows[u->kind].is_min || atomic_rows[u->kind].is_max; }

static int instruction(const CgFunc *f, const Update *u, const Type *t) {
    if (is_extreme(u) && !f->cg->target->gpu) return NO_RMW;
    return instructions[u->kind][t->is_float ? 2 : !t->is_signed];
}

/* What the back end may assume of the memory. */
static void mark_update(Cg *cg, LLVMValueRef update) {
    LLVMValueRef nothing = LLVMMetadataAsValue(cg->ctx, LLVMMDNodeInContext2(cg->ctx, NULL, 0));
    const Gpu *gpu = cg->target->gpu;
    for (const char *const *mark = gpu ? gpu->update_marks : NULL; mark && *mark; mark++)
        LLVMSetMetadata(update, LLVMGetMDKindIDInContext(cg->ctx, *mark, (unsigned)strlen(*mark)), nothing);
}

static CgValue one_step(CgFunc *f, const Update *u, CgPlace place, CgValue v) {
    LLVMValueRef old = LLVMBuildAtomicRMWSyncScope(f->b, (LLVMAtomicRMWBinOp)instruction(f, u, place.type), place.at,
                                                   v.v, LLVMAtomicOrderingMonotonic, scope_of(f->cg, u));
    LLVMSetAlignment(old, (unsigned)cg_align(place.type));
    cg_tag_element(f, old, place);
    mark_update(f->cg, old);
    return cg_value(old, place.type);
}

/* Does the operation with this constant give the old value, whatever it is? */
static bool changes_nothing(const Expr *e, const Type *t) {
    const Const *by = &e->atomic.value->konst;
    Op op = e->atomic.op;
    if (e->atomic.is_min || e->atomic.is_max || e->atomic.was || e->atomic.drops_old) return false;
    if (by->kind == CONST_FLOAT) return t->is_float && op == OP_SUB && by->f == 0 && !signbit(by->f);
    if (by->kind != CONST_INT || !t->is_int) return false;
    uint64_t ones = t->bits == 64 ? UINT64_MAX : (UINT64_C(1) << t->bits) - 1;
    if (op == OP_BIT_AND) return ((uint64_t)by->i & ones) == ones;
    return !by->i && (op == OP_BIT_OR || op == OP_BIT_XOR || op == OP_ADD || op == OP_SUB);
}

static CgValue atomic_read(CgFunc *f, const Update *u, CgPlace place) {
    LLVMValueRef old = LLVMBuildLoad2(f->b, cg_type(f->cg, place.type), place.at, "");
    LLVMSetOrdering(old, LLVMAtomicOrderingMonotonic);
    LLVMSetAtomicSyncScopeID(old, scope_of(f->cg, u));
    LLVMSetAlignment(old, (unsigned)cg_align(place.type));
    cg_tag_element(f, old, place);
    return cg_value(old, place.type);
}

static CgValue atomic_write(CgFunc *f, const Update *u, CgPlace place, CgValue v) {
    LLVMValueRef store = LLVMBuildStore(f->b, v.v, place.at);
    LLVMSetOrdering(store, LLVMAtomicOrderingMonotonic);
    LLVMSetAtomicSyncScopeID(store, scope_of(f->cg, u));
    LLVMSetAlignment(store, (unsigned)cg_align(place.type));
    cg_tag_element(f, store, place);
    return v; /* the old value is not used */
}

/* `= v if == was`. Strong: one that fails has seen another value. */
static CgValue swap_if_same(CgFunc *f, const Update *u, CgPlace place, CgValue v) {
    LLVMValueRef swap = LLVMBuildAtomicCmpXchgSyncScope(f->b, place.at, u->was.v, v.v, LLVMAtomicOrderingMonotonic,
                                                        LLVMAtomicOrderingMonotonic, scope_of(f->cg, u));
    LLVMSetAlignment(swap, (unsigned)cg_align(place.type));
    cg_tag_element(f, swap, place);
    return cg_value(LLVMBuildExtractValue(f->b, swap, 0, ""), place.type);
}

/* A minimum or maximum that is there already need not be written, and most updates find one: the element changes with
 * the first, then with ever fewer. */
static void unless_same(CgFunc *f, LLVMValueRef seen, LLVMValueRef wanted, LLVMBasicBlockRef done) {
    LLVMBasicBlockRef swap = cg_block(f, "atomic.swap");
    LLVMBuildCondBr(f->b, LLVMBuildICmp(f->b, LLVMIntEQ, seen, wanted, ""), done, swap);
    cg_enter(f, swap);
}

/* The old bits are compared, not the old value, so that a NaN in memory is replaced, too. */
static CgValue compare_and_swap(CgFunc *f, const Update *u, CgPlace place, CgValue v) {
    LLVMTypeRef bits = LLVMIntTypeInContext(f->cg->ctx, (unsigned)place.type->bits), value = cg_type(f->cg, place.type);
    LLVMBasicBlockRef before = LLVMGetInsertBlock(f->b);
    LLVMBasicBlockRef again = cg_block(f, "atomic"), done = cg_block(f, "atomic.done");
    LLVMValueRef first = LLVMBuildLoad2(f->b, bits, place.at, "");
    LLVMSetOrdering(first, LLVMAtomicOrderingMonotonic);
    LLVMSetAtomicSyncScopeID(first, scope_of(f->cg, u));
    LLVMSetAlignment(first, (unsigned)cg_align(place.type));
    cg_tag_element(f, first, place);
    cg_goto(f, again);
    cg_enter(f, again);
    LLVMValueRef seen = LLVMBuildPhi(f->b, bits, "seen");
    CgValue old = cg_value(LLVMBuildBitCast(f->b, seen, value, "old"), place.type);
    LLVMValueRef wanted = LLVMBuildBitCast(f->b, updated(f, u, old, v).v, bits, "");
    if (is_extreme(u)) unless_same(f, seen, wanted, done);
    LLVMValueRef swap = LLVMBuildAtomicCmpXchgSyncScope(f->b, place.at, seen, wanted, LLVMAtomicOrderingMonotonic,
                                                        LLVMAtomicOrderingMonotonic, scope_of(f->cg, u));
    LLVMSetWeak(swap, true);
    LLVMSetAlignment(swap, (unsigned)cg_align(place.type));
    cg_tag_element(f, swap, place);
    LLVMValueRef found = LLVMBuildExtractValue(f->b, swap, 0, "");
    LLVMValueRef values[2] = {first, found};
    LLVMBasicBlockRef from[2] = {before, LLVMGetInsertBlock(f->b)};
    LLVMAddIncoming(seen, values, from, 2);
    LLVMBuildCondBr(f->b, LLVMBuildExtractValue(f->b, swap, 1, ""), done, again);
    cg_enter(f, done);
    return old;
}

static CgValue atomically(CgFunc *f, const Update *u, CgPlace place, CgValue v) {
    if (u->only_reads) return atomic_read(f, u, place);
    if (u->only_writes) return atomic_write(f, u, place, v);
    if (u->kind == ATOMIC_COMPARE_AND_SWAP) return swap_if_same(f, u, place, v);
    bool by_swap = instruction(f, u, place.type) == NO_RMW;
    return by_swap ? compare_and_swap(f, u, place, v) : one_step(f, u, place, v);
}

/* The items of a kernel come in any order, so their sum may be taken in any: as lanes of a vector, for one. */
static CgValue plainly(CgFunc *f, const Update *u, CgPlace place, CgValue v) {
    if (u->only_reads) return cg_load(f, place);
    CgValue old = cg_load(f, place), sum = updated(f, u, old, v);
    bool reorders = f->is_kernel && atomic_rows[u->kind].op && LLVMCanValueUseFastMathFlags(sum.v);
    if (reorders) LLVMSetFastMathFlags(sum.v, LLVMFastMathAllowReassoc);
    cg_store(f, place, sum);
    return old;
}

static CgValue update(CgFunc *f, const Update *u, CgPlace place, CgValue v, bool alone) {
    return alone ? plainly(f, u, place, v) : atomically(f, u, place, v);
}

static LLVMValueRef update_function(CgFunc *f, const Update *u, CgPlace place, bool alone) {
    Cg *cg = f->cg;
    Type *t = place.type;
    const char *what = u->only_reads ? CG_READ : u->only_writes ? CG_WRITE : atomic_rows[u->kind].name;
    const char *name = arena_printf(&cg->c->arena, CG_UPDATE "%s.%s%s", what, t->name, alone ? CG_ALONE : "");
    LLVMTypeRef value = cg_type(cg, t), params[3] = {cg->ptr, value, value};
    unsigned n = u->was.v ? 3 : 2;
    LLVMValueRef fn = LLVMGetNamedFunction(cg->module, name);
    if (fn) return fn;
    CgHere here = {LLVMGetInsertBlock(f->b), LLVMGetCurrentDebugLocation2(f->b)};
    CgFunc g;
    fn = LLVMAddFunction(cg->module, name, LLVMFunctionType(value, params, n, false));
    LLVMSetLinkage(fn, LLVMInternalLinkage);
    cg_fn_attr(cg, fn, "nounwind");
    cg_fn_attr(cg, fn, "inlinehint");
    CgMode mode = cg_mode_begin(cg, cg->shadows, false); /* all kernels call the same functions */
    cg_func_begin(&g, cg, f->func, fn);
    CgPlace own = {LLVMGetParam(fn, 0), t, true, place.whole, 0};
    Update same = *u;
    if (n == 3) same.was = cg_value(LLVMGetParam(fn, 2), t);
    LLVMBuildRet(g.b, update(&g, &same, own, cg_value(LLVMGetParam(fn, 1), t), alone).v);
    cg_mode_end(cg, mode);
    cg_back(f, here);
    return fn;
}

/* If items are lanes of vectors, two lanes may update one element: so an update is a function that each lane calls by
 * itself, until the vectoriser has run. An argument of a function may be memory of one thread, which is recognised
 * after inlining (simd/alone.c). */
static CgValue by_call(CgFunc *f, const Update *u, CgPlace place, CgValue v, bool alone) {
    LLVMValueRef fn = update_function(f, u, place, alone), args[3] = {place.at, v.v, u->was.v};
    if (!alone && !f->is_kernel) update_function(f, u, place, true);
    return cg_value(cg_call(f, LLVMGlobalGetValueType(fn), fn, args, u->was.v ? 3 : 2), place.type);
}

/* The value first, as in an assignment: its evaluation may reallocate the array on the left. */
CgValue cg_atomic(CgFunc *f, Expr *e) {
    const Symbol *root = expr_root(e->atomic.target);
    Update u = {.kind = atomic_kind(e), .span = e->atomic.op_span, .in_group = root && root->is_shared};
    CgValue v = cg_convert(f, cg_expr(f, e->atomic.value), e->type);
    if (e->atomic.was) u.was = cg_convert(f, cg_expr(f, e->atomic.was), e->type);
    u.only_reads = !f->cg->target->updates_to_read && changes_nothing(e, e->type);
    u.only_writes = u.kind == ATOMIC_EXCHANGE && e->atomic.drops_old && !f->cg->target->gpu;
    CgPlace place = cg_lvalue(f, e->atomic.target);
    cg_touch(f, TOUCH_UPDATE, &place);
    place.touch = 0;
    cg_debug_at(f, e->span);
    bool alone = !may_run_in_parallel(f, e->atomic.target);
    return f->cg->vector ? by_call(f, &u, place, v, alone) : update(f, &u, place, v, alone);
}

void cg_combine(CgFunc *f, AtomicKind how, LLVMValueRef at, CgValue v) {
    atomically(f, &(Update){.kind = how}, (CgPlace){at, v.type, false, NULL, 0}, v);
}

void cg_combine_alone(CgFunc *f, AtomicKind how, LLVMValueRef at, CgValue v) {
    Update u = {.kind = how};
    CgPlace place = {at, v.type, true, NULL, 0};
    if (f->cg->vector) by_call(f, &u, place, v, true);
    else update(f, &u, place, v, true);
}
