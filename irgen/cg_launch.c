/* cg_launch.c -- `offload k(args)` in host code. Arguments are evaluated once, in the order written; shapes are
 * checked; an empty domain launches nothing. Then offload/ spells the launch, and when libomptarget says it did not run
 * (no device, OMP_TARGET_OFFLOAD=DISABLED) the kernel's host version does, with the same arguments. */
#include "irgen/cg.h"

#include <string.h>

typedef struct Launch {
    CgFunc *f;
    Expr *expr;
    const Func *kernel;
    const CallInfo *info;
    CgArray *arrays;        /* by parameter */
    CgValue *scalars;       /* by parameter */
    LLVMValueRef *sizes;
    LLVMValueRef result;    /* alloca of 8 bytes, or NULL */
} Launch;

static void evaluate(Launch *l) {
    const ArgList *args = &l->expr->offload.call->call.args;
    for (int i = 0; i < args->n; i++) {
        const Symbol *p = l->kernel->params.at[i];
        if (p->type->kind != TY_ARRAY)
            l->scalars[i] = cg_convert(l->f, cg_expr(l->f, args->at[i].value), p->type);
    }
    /* Arrays last: they are only names, and a call among the scalars may give them other memory. */
    for (int i = 0; i < args->n; i++)
        if (l->kernel->params.at[i]->type->kind == TY_ARRAY) l->arrays[i] = cg_array(l->f, args->at[i].value);
    for (int i = 0; i < l->kernel->sizes.n; i++) {
        const SizeSource *s = &l->info->sizes.at[i];
        l->sizes[i] = l->arrays[s->arg].ext[s->dim];
    }
}

/* The domain's trip counts, from the kernel's own expressions with the arguments in place of its parameters. */
/* More items than an i64 counts: the product would wrap and launch fewer. Doubles have room for every product. */
static void check_countable(Launch *l, Axis *axes, int n) {
    CgFunc *f = l->f;
    Cg *cg = f->cg;
    if (n < 2) return;
    LLVMTypeRef real = LLVMDoubleTypeInContext(cg->ctx);
    LLVMValueRef product = LLVMConstReal(real, 1.0), trips[3] = {cg_i64(cg, 1), cg_i64(cg, 1), cg_i64(cg, 1)};
    for (int d = 0; d < n; d++) {
        trips[d] = cg_axis_trips(f, &axes[d]);
        product = LLVMBuildFMul(f->b, product, LLVMBuildSIToFP(f->b, trips[d], real, ""), "");
    }
    LLVMBasicBlockRef ok;
    cg_cold(f, LLVMBuildFCmp(f->b, LLVMRealOGE, product, LLVMConstReal(real, 0x1p63), ""), &ok);
    LLVMValueRef args[] = {cg_place_string(cg, l->expr->span), cg_string(cg, l->kernel->name, strlen(l->kernel->name)),
                           cg_i64(cg, n), trips[0], trips[1], trips[2]};
    cg_call_runtime(f, RT_FAIL_DOMAIN, args, 6);
    cg_enter(f, ok);
}

static LLVMValueRef trip_count(Launch *l) {
    CgFunc *f = l->f;
    const Func *k = l->kernel;
    LLVMValueRef *values = arena_array(&f->cg->c->arena, LLVMValueRef, k->params.n + k->sizes.n + 1);
    for (int i = 0; i < k->params.n; i++) {
        const Symbol *p = cg_abi_param(k, i);
        values[i] = p->type->kind == TY_ARRAY ? l->arrays[p->dim].data : l->scalars[p->dim].v;
    }
    for (int i = 0; i < k->sizes.n; i++) values[k->params.n + i] = l->sizes[i];
    Slot *own = f->slots;
    f->slots = arena_array(&f->cg->c->arena, Slot, k->n_symbols + 1);
    cg_kernel_bind(f, k, values);
    Axis axes[MAX_RANK];
    cg_domain(f, k, axes);
    check_countable(l, axes, k->domain.n);
    LLVMValueRef total = cg_domain_total(f, k, axes);
    f->slots = own;
    return total;
}

/* "x[0:n]", "u[0:n*m]": the section in the words of the kernel's own declaration. */
static const char *section_label(Arena *a, const Symbol *p, const Shape *shape) {
    const char *count = "";
    for (int d = 0; d < shape->rank; d++) {
        const Extent *x = &shape->at[d];
        const char *one;
        if (x->kind == EXTENT_CONST) one = arena_printf(a, "%lld", (long long)x->value);
        else if (x->size && strcmp(x->size->name, "_")) one = x->size->name;
        else one = shape->rank == 1 ? arena_printf(a, "len(%s)", p->name) : arena_printf(a, "shape(%s,%d)", p->name, d);
        count = arena_printf(a, "%s%s%s", count, d ? "*" : "", one);
    }
    return arena_printf(a, "%s[0:%s]", p->name, count);
}

static OffPlace off_place(Cg *cg, Span span, const char *function) {
    Place p = cg_place(cg, span);
    return (OffPlace){p.file->path, function, p.line, p.col};
}

static OffArg array_arg(Launch *l, const Symbol *p) {
    const CgArray *a = &l->arrays[p->dim];
    Cg *cg = l->f->cg;
    return (OffArg){.base = a->data,
                    .begin = a->data,
                    .size_bytes = cg_array_bytes(l->f, a),
                    .transfer = l->kernel->transfers.at[p->dim],
                    .label = section_label(&cg->c->arena, p, &l->kernel->shapes.at[p->dim]),
                    .place = off_place(cg, p->span, l->kernel->name)};
}

static OffArg scalar_arg(Launch *l, LLVMValueRef v, const char *label, Span span) {
    return (OffArg){.value = v, .label = label, .place = off_place(l->f->cg, span, l->kernel->name)};
}

/* A bool travels as a whole byte. */
static LLVMValueRef whole_bytes(CgFunc *f, CgValue v) {
    return v.type->kind == TY_BOOL ? LLVMBuildZExt(f->b, v.v, f->cg->i8, "") : v.v;
}

static int make_args(Launch *l, OffArg *args) {
    const Func *k = l->kernel;
    int n = 0;
    for (int i = 0; i < k->params.n; i++) {
        const Symbol *p = cg_abi_param(k, i);
        args[n++] = p->type->kind == TY_ARRAY
                        ? array_arg(l, p)
                        : scalar_arg(l, whole_bytes(l->f, l->scalars[p->dim]), p->name, p->span);
    }
    for (int i = 0; i < k->sizes.n; i++) {
        const Symbol *size = k->sizes.at[i];
        args[n++] = scalar_arg(l, l->sizes[i], size->name, size->span);
    }
    if (l->result)
        args[n++] = (OffArg){.base = l->result, .begin = l->result, .size_bytes = cg_i64(l->f->cg, 8),
                             .transfer = TRANSFER_FROM, .label = "result",
                             .place = off_place(l->f->cg, k->name_span, k->name)};
    return n;
}

static LLVMValueRef launch(Launch *l, LLVMValueRef total) {
    Cg *cg = l->f->cg;
    OffArg *args = arena_array(&cg->c->arena, OffArg, l->kernel->params.n + l->kernel->sizes.n + 1);
    OffLaunch off = {.kernel = arena_printf(&cg->c->arena, "kdsl_%s", l->kernel->name),
                     .place = off_place(cg, l->expr->span, l->kernel->name),
                     .trip_count = total,
                     .args = args};
    off.n_args = make_args(l, args);
    return off_emit_launch(cg->off, l->f->b, &off);
}

static void run_on_host(Launch *l) {
    CgFunc *f = l->f;
    const Func *k = l->kernel;
    LLVMValueRef entry = cg_kernel_entry(f->cg, k);
    LLVMValueRef *args = arena_array(&f->cg->c->arena, LLVMValueRef, k->params.n + k->sizes.n + 2);
    int n = 0;
    args[n++] = LLVMConstNull(f->cg->ptr);
    for (int i = 0; i < k->params.n; i++) {
        const Symbol *p = cg_abi_param(k, i);
        args[n++] = p->type->kind == TY_ARRAY ? l->arrays[p->dim].data : cg_bits_to_slot(f, l->scalars[p->dim]);
    }
    for (int i = 0; i < k->sizes.n; i++) args[n++] = l->sizes[i];
    if (l->result) args[n++] = l->result;
    cg_call(f, LLVMGlobalGetValueType(entry), entry, args, n);
}

CgValue cg_launch(CgFunc *f, Expr *e) {
    Cg *cg = f->cg;
    const CallInfo *info = e->offload.call->call.info;
    const Func *k = info->func;
    Launch l = {.f = f, .expr = e, .kernel = k, .info = info};
    l.arrays = arena_array(&cg->c->arena, CgArray, k->params.n + 1);
    l.scalars = arena_array(&cg->c->arena, CgValue, k->params.n + 1);
    l.sizes = arena_array(&cg->c->arena, LLVMValueRef, k->sizes.n + 1);
    evaluate(&l);
    cg_debug_at(f, e->span);
    cg_shape_checks(f, info, l.arrays, e->span);
    if (k->reduction) {
        l.result = cg_alloca(f, cg->i64, "result");
        LLVMBuildStore(f->b, cg_identity(cg, k->reduction, k->result), l.result);
    }
    LLVMValueRef total = trip_count(&l);
    cg_debug_at(f, e->span);
    LLVMBasicBlockRef some = cg_block(f, "launch"), host = cg_block(f, "on.host"), done = cg_block(f, "launched");
    LLVMBuildCondBr(f->b, LLVMBuildICmp(f->b, LLVMIntNE, total, cg_i64(cg, 0), ""), some, done);
    cg_enter(f, some);
    LLVMValueRef rc = launch(&l, total);
    LLVMBuildCondBr(f->b, LLVMBuildICmp(f->b, LLVMIntNE, rc, cg_i32(cg, 0), ""), host, done);
    cg_enter(f, host);
    run_on_host(&l);
    cg_goto(f, done);
    cg_enter(f, done);
    if (!k->reduction) return cg_value(NULL, e->type, UNIFORM);
    return cg_load(f, cg_variable(l.result, k->result));
}
