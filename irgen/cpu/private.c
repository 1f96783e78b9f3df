/* private.c -- privatisation: threads update copies of their own. An array that a kernel only combines values into
 * (sema/combine.c) and that is small is copied: each thread's copy starts as the identity of the operation, the thread
 * executes its chunk of the kernel with ordinary updates of the copy, and at the end it combines the copy with the
 * array, atomically. Many items that update few elements then cost a load, an operation and a store each, and a single
 * element stays in a register. Legal because sema/combine.c accepts only arrays with which the kernel does nothing
 * else, and the language leaves the order of its updates open.
 *
 * An array that is small by its type is always copied, into the thread's frame. Where only the launch knows the size, a
 * second version of the kernel (`apart`) has its copies on the heap; it runs if the launch has several updates for each
 * element. Where one chunk is the whole domain, as on one thread, nobody else updates the array, and it is
 * its own copy, of any size. */
#include "irgen/cpu/cpu.h"

#include <math.h>

enum {
    FRAME_BYTES = 4 << 10, /* of one array: cheap to initialise and combine, however little the work */
    HEAP_BYTES = 4 << 20,  /* of one array: at most what a thread has of the last-level cache, mostly */
    LEAST_UPDATES = 4      /* of the chunk for each element that is initialised and combined */
};

/* Which arrays ---------------------------------------------------------------------------------------------------- */

static const Type *pointee(const Symbol *p) { return p->type->kind == TY_ARRAY ? p->type->elem : p->type; }

/* Size of what `p` refers to, in bytes, from its type; 0: only the launch knows it. INT64_MAX: it overflows. */
static int64_t known_bytes(const Func *kernel, const Symbol *p) {
    int64_t bytes = cg_size(pointee(p));
    for (int d = 0; p->type->kind == TY_ARRAY && d < p->type->rank; d++) {
        const Extent *x = &kernel->shapes.at[p->dim].at[d];
        if (x->kind != EXTENT_CONST) return 0;
        if (__builtin_mul_overflow(bytes, x->value, &bytes)) return INT64_MAX;
    }
    return bytes;
}

static bool is_copied(const Cg *cg, const Symbol *p) {
    return cg_allows(cg, PRIVATISE) && combine_facts(p)->how && cg->target->copies_apart;
}

static bool is_always_copied(const Cg *cg, const Func *kernel, const Symbol *p) {
    int64_t bytes = is_copied(cg, p) ? known_bytes(kernel, p) : 0;
    return bytes > 0 && bytes <= FRAME_BYTES;
}

static bool is_copied_if_small(const Cg *cg, const Func *kernel, const Symbol *p) {
    return is_copied(cg, p) && !is_always_copied(cg, kernel, p) && known_bytes(kernel, p) <= HEAP_BYTES;
}

bool cg_updates_copy(const Cg *cg, const Func *kernel, const Symbol *p, bool apart) {
    return is_always_copied(cg, kernel, p) || (apart && is_copied_if_small(cg, kernel, p));
}

static int count(const Cg *cg, const Func *kernel, bool (*test)(const Cg *, const Func *, const Symbol *)) {
    int n = 0;
    for (int i = 0; i < kernel->params.n; i++) n += test(cg, kernel, kernel->params.at[i]);
    return n;
}

bool cg_may_copy_more(const Cg *cg, const Func *kernel) { return count(cg, kernel, is_copied_if_small) > 0; }

bool cg_copies_are_light(const Cg *cg, const Func *kernel) {
    int64_t bytes = 0;
    for (int i = 0; i < kernel->params.n; i++)
        if (is_always_copied(cg, kernel, kernel->params.at[i])) bytes += known_bytes(kernel, kernel->params.at[i]);
    return bytes <= PRIVATE_ALIGN && !cg_may_copy_more(cg, kernel);
}

/* Copies ---------------------------------------------------------------------------------------------------------- */

typedef struct Copy {
    const Symbol *param;
    int position; /* index among the values of the kernel */
    LLVMValueRef original, at;
    LLVMValueRef n_scalars; /* number of scalars: an element that is a struct counts its fields */
    LLVMValueRef bytes;   /* rounded up to whole cache lines, at least one */
} Copy;

static LLVMValueRef scalar_count(CgFunc *f, const Symbol *p) {
    int64_t parts = cg_size(pointee(p)) / cg_size(combine_facts(p)->type);
    if (p->type->kind != TY_ARRAY) return cg_i64(f->cg, parts);
    return LLVMBuildMul(f->b, cg_array_count(f, &f->slots[p->id].array), cg_i64(f->cg, parts), "numbers");
}

static LLVMValueRef extreme(Cg *cg, const Type *t, bool largest) {
    return t->is_float ? LLVMConstReal(cg_type(cg, t), NAN) : cg_identity(cg, largest ? REDUCE_MIN : REDUCE_MAX, t);
}

/* The identity, bit for bit: combined with it every value keeps its bits. For minima and maxima of floats that is NaN,
 * which loses against every number; -0.0 for sums, since adding 0.0 changes -0.0. */
static LLVMValueRef neutral(Cg *cg, const Symbol *p) {
    const Type *t = combine_facts(p)->type;
    switch (combine_facts(p)->how) {
    case ATOMIC_ADD: return t->is_float ? LLVMConstReal(cg_type(cg, t), -0.0) : LLVMConstNull(cg_type(cg, t));
    case ATOMIC_AND: return LLVMConstAllOnes(cg_type(cg, t));
    case ATOMIC_OR:
    case ATOMIC_XOR: return LLVMConstNull(cg_type(cg, t));
    case ATOMIC_MIN: return extreme(cg, t, true);
    case ATOMIC_MAX: return extreme(cg, t, false);
    case ATOMIC_NONE:
    case ATOMIC_SUB:
    case ATOMIC_EXCHANGE:
    case ATOMIC_COMPARE_AND_SWAP:
    case ATOMIC__COUNT: break;
    }
    ice(cg->c, p->span, "what changes nothing is not known of `%s`", p->name);
}

static LLVMValueRef scalar_at(CgFunc *f, const Copy *c, LLVMValueRef base, LLVMValueRef i) {
    return LLVMBuildInBoundsGEP2(f->b, cg_type_mem(f->cg, combine_facts(c->param)->type), base, &i, 1, "");
}

static void fill(CgFunc *f, const Copy *c) {
    Axis all = cg_axis_upto(f, c->n_scalars);
    CgLoop l = cg_loop_begin(f, &all);
    LLVMBuildStore(f->b, neutral(f->cg, c->param), scalar_at(f, c, c->at, l.i.v));
    cg_loop_end(f, &l);
}

static LLVMValueRef bits_of(CgFunc *f, LLVMValueRef v, const Type *t) {
    return LLVMBuildBitCast(f->b, v, LLVMIntTypeInContext(f->cg->ctx, (unsigned)t->bits), "");
}

/* Combines a copy into its array. Elements that still are the identity are skipped: no item has updated them. */
static void combine_copy(CgFunc *f, const Copy *c) {
    Type *t = combine_facts(c->param)->type;
    Axis all = cg_axis_upto(f, c->n_scalars);
    CgLoop l = cg_loop_begin(f, &all);
    LLVMValueRef v = LLVMBuildLoad2(f->b, cg_type_mem(f->cg, t), scalar_at(f, c, c->at, l.i.v), "");
    LLVMValueRef untouched = bits_of(f, neutral(f->cg, c->param), t);
    LLVMBasicBlockRef update = cg_block(f, "update");
    LLVMBuildCondBr(f->b, LLVMBuildICmp(f->b, LLVMIntEQ, bits_of(f, v, t), untouched, ""), l.next, update);
    cg_enter(f, update);
    cg_combine(f, combine_facts(c->param)->how, scalar_at(f, c, c->original, l.i.v), cg_value(v, t));
    cg_loop_end(f, &l);
}

/* A chunk --------------------------------------------------------------------------------------------------------- */

typedef Vec(Copy) Copies;

typedef struct Private {
    Kernel *k;
    CgFunc *f;
    LLVMValueRef *args; /* of the chunk's function: copies replace arrays */
    int n_args;
    Copies frame, heap; /* where they are allocated */
} Private;

static Copy copy_of(Private *p, const Symbol *param, int position) {
    CgFunc *f = p->f;
    Copy c = {.param = param, .position = position, .original = p->args[position], .n_scalars = scalar_count(f, param)};
    LLVMValueRef bytes = LLVMBuildMul(f->b, c.n_scalars, cg_i64(f->cg, cg_size(combine_facts(param)->type)), "");
    bytes = LLVMBuildAdd(f->b, bytes, cg_i64(f->cg, PRIVATE_ALIGN), "");
    c.bytes = LLVMBuildAnd(f->b, bytes, cg_i64(f->cg, -PRIVATE_ALIGN), "");
    return c;
}

static void find_copies(Private *p) {
    const Func *kernel = p->k->func;
    Arena *arena = &p->f->cg->c->arena;
    for (int i = 0; i < kernel->params.n; i++) {
        const Symbol *param = cg_abi_param(kernel, i);
        if (is_always_copied(p->f->cg, kernel, param)) vec_push(arena, &p->frame, copy_of(p, param, i));
        if (is_copied_if_small(p->f->cg, kernel, param)) vec_push(arena, &p->heap, copy_of(p, param, i));
    }
}

static void begin_copy(Private *p, Copy *c, LLVMValueRef at) {
    c->at = p->args[c->position] = at;
    fill(p->f, c);
}

static void begin_in_frame(Private *p) {
    CgFunc *f = p->f;
    for (int i = 0; i < p->frame.n; i++) {
        Copy *c = &p->frame.at[i];
        LLVMValueRef at = cg_alloca(f, LLVMArrayType2(f->cg->i8, LLVMConstIntGetZExtValue(c->bytes)), c->param->name);
        LLVMSetAlignment(at, PRIVATE_ALIGN);
        begin_copy(p, c, at);
    }
}

static void begin_on_heap(Private *p, LLVMValueRef at) {
    CgFunc *f = p->f;
    for (int i = 0; i < p->heap.n; i++) {
        Copy *c = &p->heap.at[i];
        begin_copy(p, c, at);
        at = LLVMBuildInBoundsGEP2(f->b, f->cg->i8, at, &c->bytes, 1, "");
    }
}

static void end_copies(Private *p, const Copies *copies) {
    for (int i = 0; i < copies->n; i++) combine_copy(p->f, &copies->at[i]);
}

static void call(Private *p, LLVMValueRef share) {
    cg_call(p->f, LLVMGlobalGetValueType(share), share, p->args, p->n_args);
}

/* True if the arrays are small and the chunk has enough updates to pay for the copies. *bytes: of all copies. */
static LLVMValueRef copies_pay(Private *p, LLVMValueRef shares, LLVMValueRef *bytes) {
    CgFunc *f = p->f;
    LLVMValueRef small = LLVMConstInt(f->cg->i1, 1, false), n_scalars = cg_i64(f->cg, 0);
    *bytes = n_scalars;
    for (int i = 0; i < p->heap.n; i++) {
        const Copy *c = &p->heap.at[i];
        LLVMValueRef fits = LLVMBuildICmp(f->b, LLVMIntULE, c->bytes, cg_i64(f->cg, HEAP_BYTES + PRIVATE_ALIGN), "");
        small = LLVMBuildAnd(f->b, small, fits, "");
        n_scalars = LLVMBuildAdd(f->b, n_scalars, c->n_scalars, "");
        *bytes = LLVMBuildAdd(f->b, *bytes, c->bytes, "");
    }
    LLVMValueRef least = LLVMBuildMul(f->b, n_scalars, cg_i64(f->cg, LEAST_UPDATES), "");
    int64_t each = cost_updates(p->k->func) * p->k->share_items;
    LLVMValueRef updates = LLVMBuildMul(f->b, shares, cg_i64(f->cg, each > 0 ? each : 1), "updates");
    return LLVMBuildAnd(f->b, small, LLVMBuildICmp(f->b, LLVMIntUGE, updates, least, ""), "");
}

/* Is the chunk the whole domain, and each array at least a line of memory, as `apart` takes copies to be? */
static LLVMValueRef is_alone(Private *p) {
    CgFunc *f = p->f;
    Axis axes[MAX_RANK];
    cg_domain(f, p->k->func, axes);
    LLVMValueRef total = cg_domain_shares(f, p->k->func, axes), begin = p->args[p->n_args - 2];
    LLVMValueRef all = LLVMBuildICmp(f->b, LLVMIntEQ, begin, cg_i64(f->cg, 0), "");
    all = LLVMBuildAnd(f->b, all, LLVMBuildICmp(f->b, LLVMIntEQ, p->args[p->n_args - 1], total, ""), "");
    for (int i = 0; i < p->heap.n; i++) {
        const Copy *c = &p->heap.at[i];
        int64_t least = PRIVATE_ALIGN / cg_size(combine_facts(c->param)->type);
        LLVMValueRef is_line = LLVMBuildICmp(f->b, LLVMIntUGE, c->n_scalars, cg_i64(f->cg, least), "");
        all = LLVMBuildAnd(f->b, all, is_line, "");
    }
    return all;
}

/* Emits a call of `apart`, with the arrays themselves if nobody else updates them, or else with copies on the heap; of
 * `share` if the copies do not pay or there is no memory for them. */
static void choose(Private *p, LLVMValueRef share, LLVMValueRef apart, LLVMValueRef shares, bool in_blocks) {
    CgFunc *f = p->f;
    LLVMBasicBlockRef try = cg_block(f, "try"), copies = cg_block(f, "apart"), plain = cg_block(f, "together");
    LLVMBasicBlockRef done = cg_block(f, "combined");
    LLVMValueRef args[2] = {cg_i64(f->cg, PRIVATE_ALIGN)};
    if (!in_blocks) {
        LLVMBasicBlockRef alone = cg_block(f, "alone"), others = cg_block(f, "others");
        LLVMBuildCondBr(f->b, is_alone(p), alone, others);
        cg_enter(f, alone);
        call(p, apart);
        cg_goto(f, done);
        cg_enter(f, others);
    }
    LLVMBuildCondBr(f->b, copies_pay(p, shares, &args[1]), try, plain);
    cg_enter(f, plain);
    call(p, share);
    cg_goto(f, done);
    cg_enter(f, try);
    LLVMValueRef at = cg_call_runtime(f, RT_ALIGNED_ALLOC, args, 2);
    LLVMBuildCondBr(f->b, LLVMBuildICmp(f->b, LLVMIntEQ, at, LLVMConstNull(f->cg->ptr), ""), plain, copies);
    cg_enter(f, copies);
    begin_on_heap(p, at);
    call(p, apart);
    end_copies(p, &p->heap);
    cg_call_runtime(f, RT_FREE, &at, 1);
    cg_goto(f, done);
    cg_enter(f, done);
}

static LLVMValueRef declare(const Kernel *k, LLVMValueRef share) {
    const char *name = arena_printf(&k->cg->c->arena, "kernel.%s.private", k->func->symbol);
    LLVMValueRef fn = LLVMAddFunction(k->cg->module, name, LLVMGlobalGetValueType(share));
    LLVMSetLinkage(fn, LLVMInternalLinkage);
    cg_fn_attr(k->cg, fn, "nounwind");
    cg_fn_attr(k->cg, fn, "noinline");
    return fn;
}

LLVMValueRef private_share(Kernel *k, LLVMValueRef share, LLVMValueRef apart, int units) {
    if (!apart && !count(k->cg, k->func, is_always_copied)) return share;
    CgFunc f;
    LLVMBasicBlockRef here = LLVMGetInsertBlock(k->cg->b);
    LLVMValueRef fn = declare(k, share);
    Private p = {.k = k, .f = &f, .n_args = (int)LLVMCountParams(fn)};
    p.args = arena_array(&k->cg->c->arena, LLVMValueRef, p.n_args + 1);
    LLVMGetParams(fn, p.args);
    cg_func_begin(&f, k->cg, k->func, fn);
    cg_kernel_bind(&f, k->func, p.args);
    find_copies(&p);
    LLVMValueRef shares = LLVMBuildSub(f.b, p.args[p.n_args - 1], p.args[p.n_args - 2], "");
    if (units >= 0) shares = LLVMBuildMul(f.b, shares, p.args[units], "");
    begin_in_frame(&p);
    if (apart) choose(&p, share, apart, shares, units >= 0);
    else call(&p, share);
    end_copies(&p, &p.frame);
    LLVMBuildRetVoid(f.b);
    LLVMPositionBuilderAtEnd(k->cg->b, here);
    return fn;
}
