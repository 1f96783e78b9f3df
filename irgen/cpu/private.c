/* private.c -- privatisation: threads update copies of their own. An array that a kernel only combines values into
 * (combine_facts) and that is small is copied: each thread's copy begins with the identity, the thread runs its share
 * of the kernel with ordinary updates of the copy, and at the end combines the copy into the array, atomically. So many
 * items on few elements cost a load, an operation and a store each, and a single element stays in a register.
 *
 * An array that is small by its type is always copied, into the thread's frame. An array that is found small at the
 * launch, compared with the work to be done, is copied to the heap by a second version of the kernel (`apart`). */
#include "irgen/cpu/cpu.h"

#include <math.h>

enum {
    FRAME_BYTES = 4 << 10,  /* of one array: next to nothing to prepare and to look at again, however little the work */
    HEAP_BYTES = 512 << 10, /* of one array: no more than the second-level cache */
    WORK_AN_ELEMENT = 128   /* cost (cpu/cost.c) of the share for each element that is prepared and looked at again */
};

/* Which arrays ---------------------------------------------------------------------------------------------------- */

static const Type *behind(const Symbol *p) { return p->type->kind == TY_ARRAY ? p->type->elem : p->type; }

/* Bytes of what `p` refers to, as its type says; 0: the launch knows. A copy may be larger than any array by that. */
static int64_t known_bytes(const Func *kernel, const Symbol *p) {
    int64_t bytes = cg_size(behind(p));
    for (int d = 0; p->type->kind == TY_ARRAY && d < p->type->rank; d++) {
        const Extent *x = &kernel->shapes.at[p->dim].at[d];
        if (x->kind != EXTENT_CONST) return 0;
        if (__builtin_mul_overflow(bytes, x->value, &bytes)) return INT64_MAX;
    }
    return bytes;
}

static bool is_copied(const Cg *cg, const Symbol *p) { return cg_allows(cg, PRIVATISE) && combine_facts(p)->how && cg->target->copies_apart; }

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
    int position; /* among the values of the kernel */
    LLVMValueRef original, at;
    LLVMValueRef numbers; /* how many: of elements with parts, the parts are counted */
    LLVMValueRef bytes;   /* with what makes whole lines of them, at least one */
} Copy;

static LLVMValueRef number_count(CgFunc *f, const Symbol *p) {
    int64_t parts = cg_size(behind(p)) / cg_size(combine_facts(p)->type);
    if (p->type->kind != TY_ARRAY) return cg_i64(f->cg, parts);
    return LLVMBuildMul(f->b, cg_array_count(f, &f->slots[p->id].array), cg_i64(f->cg, parts), "numbers");
}

static LLVMValueRef extreme(Cg *cg, const Type *t, bool largest) {
    return t->is_float ? LLVMConstReal(cg_type(cg, t), NAN) : cg_identity(cg, largest ? REDUCE_MIN : REDUCE_MAX, t);
}

/* Combined with it, every value stays what it is, bit for bit: NaN is no less and no more than any number. */
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

static LLVMValueRef number_at(CgFunc *f, const Copy *c, LLVMValueRef base, LLVMValueRef i) {
    return LLVMBuildInBoundsGEP2(f->b, cg_type_mem(f->cg, combine_facts(c->param)->type), base, &i, 1, "");
}

static void fill(CgFunc *f, const Copy *c) {
    Axis all = cg_axis_upto(f, c->numbers);
    CgLoop l = cg_loop_begin(f, &all);
    LLVMBuildStore(f->b, neutral(f->cg, c->param), number_at(f, c, c->at, l.i.v));
    cg_loop_end(f, &l);
}

static LLVMValueRef bits_of(CgFunc *f, LLVMValueRef v, const Type *t) {
    return LLVMBuildBitCast(f->b, v, LLVMIntTypeInContext(f->cg->ctx, (unsigned)t->bits), "");
}

/* What no item has updated is left alone. */
static void bring_together(CgFunc *f, const Copy *c) {
    Type *t = combine_facts(c->param)->type;
    Axis all = cg_axis_upto(f, c->numbers);
    CgLoop l = cg_loop_begin(f, &all);
    LLVMValueRef v = LLVMBuildLoad2(f->b, cg_type_mem(f->cg, t), number_at(f, c, c->at, l.i.v), "");
    LLVMValueRef untouched = bits_of(f, neutral(f->cg, c->param), t);
    LLVMBasicBlockRef update = cg_block(f, "update");
    LLVMBuildCondBr(f->b, LLVMBuildICmp(f->b, LLVMIntEQ, bits_of(f, v, t), untouched, ""), l.next, update);
    cg_enter(f, update);
    cg_combine(f, combine_facts(c->param)->how, number_at(f, c, c->original, l.i.v), cg_value(v, t));
    cg_loop_end(f, &l);
}

/* A share --------------------------------------------------------------------------------------------------------- */

typedef Vec(Copy) Copies;

typedef struct Private {
    Kernel *k;
    CgFunc *f;
    LLVMValueRef *args; /* of the share: copies take the place of arrays */
    int n_args;
    Copies frame, heap; /* where they lie */
} Private;

static Copy copy_of(Private *p, const Symbol *param, int position) {
    CgFunc *f = p->f;
    Copy c = {.param = param, .position = position, .original = p->args[position], .numbers = number_count(f, param)};
    LLVMValueRef bytes = LLVMBuildMul(f->b, c.numbers, cg_i64(f->cg, cg_size(combine_facts(param)->type)), "");
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
    for (int i = 0; i < copies->n; i++) bring_together(p->f, &copies->at[i]);
}

static void call(Private *p, LLVMValueRef share) {
    cg_call(p->f, LLVMGlobalGetValueType(share), share, p->args, p->n_args);
}

/* Are the arrays small, and is the share worth the trouble? *bytes: of all copies. */
static LLVMValueRef is_worth_it(Private *p, LLVMValueRef shares, LLVMValueRef *bytes) {
    CgFunc *f = p->f;
    LLVMValueRef small = LLVMConstInt(f->cg->i1, 1, false), numbers = cg_i64(f->cg, 0);
    *bytes = numbers;
    for (int i = 0; i < p->heap.n; i++) {
        const Copy *c = &p->heap.at[i];
        LLVMValueRef fits = LLVMBuildICmp(f->b, LLVMIntULE, c->bytes, cg_i64(f->cg, HEAP_BYTES + PRIVATE_ALIGN), "");
        small = LLVMBuildAnd(f->b, small, fits, "");
        numbers = LLVMBuildAdd(f->b, numbers, c->numbers, "");
        *bytes = LLVMBuildAdd(f->b, *bytes, c->bytes, "");
    }
    LLVMValueRef work = LLVMBuildMul(f->b, numbers, cg_i64(f->cg, WORK_AN_ELEMENT), "");
    LLVMValueRef least = LLVMBuildUDiv(f->b, work, cg_i64(f->cg, p->k->share_cost), "");
    return LLVMBuildAnd(f->b, small, LLVMBuildICmp(f->b, LLVMIntUGE, shares, least, ""), "");
}

/* `apart` with copies on the heap or, where it is not worth that or no memory is left, `share`. */
static void choose(Private *p, LLVMValueRef share, LLVMValueRef apart, LLVMValueRef shares) {
    CgFunc *f = p->f;
    LLVMBasicBlockRef try = cg_block(f, "try"), copies = cg_block(f, "apart"), plain = cg_block(f, "together");
    LLVMBasicBlockRef done = cg_block(f, "combined");
    LLVMValueRef args[2] = {cg_i64(f->cg, PRIVATE_ALIGN)};
    LLVMBuildCondBr(f->b, is_worth_it(p, shares, &args[1]), try, plain);
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
    if (apart) choose(&p, share, apart, shares);
    else call(&p, share);
    end_copies(&p, &p.frame);
    LLVMBuildRetVoid(f.b);
    LLVMPositionBuilderAtEnd(k->cg->b, here);
    return fn;
}
