/* launch.c -- code for `offload k(args)` in the host program. The arguments are evaluated once, in source order; shapes
 * are checked; an empty domain launches nothing. offload/ emits the call of libomptarget. If that reports that the
 * kernel was not executed (no device, OMP_TARGET_OFFLOAD=DISABLED), the host version of the kernel is called with the
 * same arguments. */
#include "irgen/launch/launch.h"

#include <string.h>

#include "irgen/launch/flops.h"

typedef struct Launch {
    CgFunc *f;
    Expr *expr;             /* NULL: values of emit_launch_values or of an asynchronous launch */
    const Expr *named;      /* the launch whose arguments name the arrays in messages, or NULL */
    Span span;
    const Func *kernel;
    const CallInfo *info;
    CgArray *arrays;        /* by parameter: what the kernel gets */
    CgArray *parts;         /* by parameter: the arguments as named; fields of elements are passed as copies */
    CgValue *scalars;       /* by parameter */
    LLVMValueRef *sizes;
    LLVMValueRef *begin, *bytes; /* by parameter: address and size of the mapped section */
    LLVMValueRef number;    /* of the device, i64; NULL: the default device */
    bool is_later;          /* in the function that executes an asynchronous launch: all arrays are resident */
    LLVMValueRef result;    /* alloca of 8 bytes, or NULL */
    LLVMValueRef slot;      /* error slot of failed checks, or NULL */
    LLVMValueRef prints;    /* print buffer, or NULL */
    LLVMValueRef shadow;    /* of --check, or NULL */
    LLVMValueRef flops[2];  /* operations on f32 and f64; NULL: they are not counted */
} Launch;

/* Two read-only sections of one array: if they overlap, both are mapped as their union, because OpenMP does not allow
 * to extend a mapping. Each argument keeps its own base, so the kernel's pointers are right. */
static bool join_pair(Launch *l, int i, int k) {
    const ArgList *args = &l->expr->offload.call->call.args;
    const Expr *a = args->at[i].value, *b = args->at[k].value;
    if (args->at[i].mode != REF_IN || args->at[k].mode != REF_IN) return false;
    if (expr_array_symbol(a) != expr_array_symbol(b) || !(expr_is_slice(a) || expr_is_slice(b))) return false;
    LLVMBuilderRef b_ = l->f->b;
    LLVMValueRef lo[2], hi[2];
    for (int n = 0; n < 2; n++) {
        lo[n] = LLVMBuildPtrToInt(b_, l->begin[n ? k : i], l->f->cg->i64, "");
        hi[n] = LLVMBuildAdd(b_, lo[n], l->bytes[n ? k : i], "");
    }
    LLVMValueRef meet = LLVMBuildAnd(b_, LLVMBuildICmp(b_, LLVMIntULT, lo[0], hi[1], ""),
                                     LLVMBuildICmp(b_, LLVMIntULT, lo[1], hi[0], ""), "");
    LLVMValueRef first = LLVMBuildICmp(b_, LLVMIntULT, lo[0], lo[1], "");
    LLVMValueRef begin = LLVMBuildSelect(b_, first, l->begin[i], l->begin[k], "");
    LLVMValueRef from = LLVMBuildSelect(b_, first, lo[0], lo[1], "");
    LLVMValueRef to = LLVMBuildSelect(b_, LLVMBuildICmp(b_, LLVMIntUGT, hi[0], hi[1], ""), hi[0], hi[1], "");
    LLVMValueRef bytes = LLVMBuildSub(b_, to, from, "");
    for (int n = 0; n < 2; n++) {
        int p = n ? k : i;
        l->begin[p] = LLVMBuildSelect(b_, meet, begin, l->begin[p], "");
        l->bytes[p] = LLVMBuildSelect(b_, meet, bytes, l->bytes[p], "");
    }
    return true;
}

/* Sections may overlap in chains, in any order of arguments: repeat until the union reaches the whole chain. */
static void join_sections(Launch *l) {
    int n = l->kernel->n_given, pairs = 1;
    for (int round = 0; round < n && pairs; round++) {
        pairs = 0;
        for (int i = 0; i < n; i++)
            for (int k = i + 1; k < n; k++) pairs += l->begin[i] && l->begin[k] && join_pair(l, i, k);
        if (pairs == 1) break;
    }
}

/* A reference to a single value is mapped like an array of one element. */
static void map_value(Launch *l, const Symbol *p, LLVMValueRef at) {
    l->arrays[p->dim] = (CgArray){.data = at, .type = p->type, .name = p->name};
    l->begin[p->dim] = at;
    l->bytes[p->dim] = cg_i64(l->f->cg, cg_size(p->type));
}

static void evaluate(Launch *l) {
    const ArgList *args = &l->expr->offload.call->call.args;
    CgBounds *bounds = arena_array(&l->f->cg->c->arena, CgBounds, args->n + 1);
    for (int i = 0; i < args->n; i++) {
        const Symbol *p = l->kernel->params.at[i];
        if (p->mode == REF_NONE)
            l->scalars[i] = cg_convert(l->f, cg_expr(l->f, args->at[i].value), p->type);
        else if (expr_is_slice(args->at[i].value))
            bounds[i] = cg_slice_bounds(l->f, args->at[i].value);
    }
    /* Arrays are evaluated last: a call among the scalar arguments may reallocate them. */
    for (int i = 0; i < args->n; i++) {
        const Symbol *p = l->kernel->params.at[i];
        Expr *arg = args->at[i].value;
        if (p->mode == REF_NONE) continue;
        if (!cg_by_reference(l->kernel, p)) {
            l->scalars[i] = cg_expr(l->f, arg);
            continue;
        }
        if (p->type->kind != TY_ARRAY) {
            map_value(l, p, cg_reference(l->f, arg));
            continue;
        }
        l->parts[i] = expr_is_slice(arg) ? cg_slice(l->f, arg, &bounds[i]) : cg_array(l->f, arg);
        l->arrays[i] = cg_pass_part(l->f, &l->parts[i]);
        l->begin[i] = l->arrays[i].data;
        l->bytes[i] = cg_array_bytes(l->f, &l->arrays[i]);
    }
    join_sections(l);
    for (int i = 0; i < l->kernel->sizes.n; i++) {
        const SizeSource *s = &l->info->sizes.at[i];
        l->sizes[i] = cg_plus(l->f, l->arrays[s->arg].ext[s->dim], -s->add);
    }
}

/* The last groups may extend beyond the domain; the indices of their items, and sums with these, must not overflow. */
static LLVMValueRef may_overflow(CgFunc *f, const Axis *axis, int64_t by) {
    const int64_t far = INT64_C(1) << 62, step = axis->known_step.i;
    int64_t over = step < far / by ? step * by : far;
    LLVMValueRef high = LLVMBuildICmp(f->b, LLVMIntSGT, axis->hi.v, cg_i64(f->cg, far - over), "");
    LLVMValueRef low = LLVMBuildICmp(f->b, LLVMIntSLT, axis->lo.v, cg_i64(f->cg, -far), "");
    return LLVMBuildOr(f->b, high, low, "");
}

/* Fails if the number of items exceeds an i64: the product would wrap, and fewer items would be launched. The product
 * of doubles cannot overflow. */
static void check_countable(Launch *l, Axis *axes, int n) {
    CgFunc *f = l->f;
    Cg *cg = f->cg;
    const Group *group = &l->kernel->group;
    if (n < 2 && !group->items) return;
    LLVMTypeRef real = LLVMDoubleTypeInContext(cg->ctx);
    LLVMValueRef product = LLVMConstReal(real, 1.0), trips[3] = {cg_i64(cg, 1), cg_i64(cg, 1), cg_i64(cg, 1)};
    for (int d = 0; d < n; d++) {
        trips[d] = cg_axis_trips(f, &axes[d]);
        product = LLVMBuildFMul(f->b, product, LLVMBuildSIToFP(f->b, trips[d], real, ""), "");
    }
    LLVMBasicBlockRef ok;
    LLVMValueRef too_many = LLVMBuildFCmp(f->b, LLVMRealOGE, product, LLVMConstReal(real, 0x1p63), "");
    for (int d = 0; d < n && group->items; d++)
        too_many = LLVMBuildOr(f->b, too_many, may_overflow(f, &axes[d], group->by[d]), "");
    cg_cold(f, too_many, &ok);
    LLVMValueRef args[] = {cg_place_string(cg, l->span), cg_string(cg, l->kernel->name, strlen(l->kernel->name)),
                           cg_i64(cg, n), trips[0], trips[1], trips[2]};
    cg_call_runtime(f, RT_FAIL_DOMAIN, args, 6);
    cg_enter(f, ok);
}

/* The trip counts of the domain: the kernel's own expressions, with its parameters bound to the arguments. */
static LLVMValueRef trip_count(Launch *l, LLVMValueRef trips[3]) {
    CgFunc *f = l->f;
    Cg *cg = f->cg;
    const Func *k = l->kernel;
    LLVMValueRef *values = arena_array(&f->cg->c->arena, LLVMValueRef, k->params.n + k->sizes.n + 1);
    for (int i = 0; i < k->params.n; i++) {
        const Symbol *p = cg_abi_param(k, i);
        values[i] = cg_by_reference(k, p) ? l->arrays[p->dim].data : l->scalars[p->dim].v;
    }
    for (int i = 0; i < k->sizes.n; i++) values[k->params.n + i] = l->sizes[i];
    Slot *own = f->slots;
    f->slots = arena_array(&f->cg->c->arena, Slot, k->n_symbols + 1);
    cg_kernel_bind(f, k, values);
    Axis axes[MAX_RANK];
    cg_domain(f, k, axes);
    check_countable(l, axes, k->domain.n);
    LLVMValueRef total = cg_domain_total(f, k, axes);
    for (int i = 0; i < 2 && cg->options->counts_flops; i++) l->flops[i] = flops_of_launch(f, k, total, i);
    for (int d = 0; d < k->domain.n; d++) trips[d] = cg_axis_trips(f, &axes[d]);
    f->slots = own;
    return total;
}

/* The label of a section in libomptarget's messages, in terms of the kernel's declaration: "x[0:n]", "u[0:n*m]". */
static const char *section_label(Arena *a, const Symbol *p, const Shape *shape) {
    if (p->type->kind != TY_ARRAY) return p->name;
    const char *count = "";
    for (int d = 0; d < shape->rank; d++) {
        const Extent *x = &shape->at[d];
        const char *one;
        if (x->kind == EXTENT_CONST) one = arena_printf(a, "%lld", (long long)x->value);
        else if (x->size && strcmp(x->size->name, "_") && shape->rank == 1) one = size_text(a, x->size, x->value);
        else if (x->size && strcmp(x->size->name, "_")) one = size_factor(a, x->size, x->value);
        else one = shape->rank == 1 ? arena_printf(a, "len(%s)", p->name) : arena_printf(a, "shape(%s,%d)", p->name, d);
        count = arena_printf(a, "%s%s%s", count, d ? "*" : "", one);
    }
    return arena_printf(a, "%s[0:%s]", p->name, count);
}

static const char *source_text(Cg *cg, const Expr *e) {
    Place p = cg_place(cg, e->span);
    return arena_printf(&cg->c->arena, "%.*s", (int)(e->span.hi - e->span.lo),
                        p.file->text + (e->span.lo + cg->base_shift - p.file->base));
}

static bool is_simple(const Expr *e) { return expr_strip((Expr *)e)->kind != EXPR_BINARY; }

/* The same for a slice, in terms of the argument, as start and length: "x[a:b-a]", "m[r:1][0:shape(m,1)]". */
static const char *slice_label(Cg *cg, const Expr *e) {
    Arena *arena = &cg->c->arena;
    const char *name = source_text(cg, e->index.base), *label = name;
    for (int d = 0; d < e->index.at.n; d++) {
        const Expr *at = e->index.at.at[d];
        if (at->kind != EXPR_RANGE) {
            label = arena_printf(arena, "%s[%s:1]", label, source_text(cg, at));
            continue;
        }
        const Expr *lo = at->range.range.lo, *hi = at->range.range.hi;
        const char *from = lo ? source_text(cg, lo) : "0";
        const char *to = hi ? source_text(cg, hi)
                            : e->index.at.n == 1 ? arena_printf(arena, "len(%s)", name)
                                                 : arena_printf(arena, "shape(%s,%d)", name, d);
        bool known = lo && hi && lo->konst.kind == CONST_INT && hi->konst.kind == CONST_INT;
        if (known) to = arena_printf(arena, "%lld", (long long)(hi->konst.i - lo->konst.i));
        else if (lo) to = arena_printf(arena, is_simple(lo) ? "%s-%s" : "%s-(%s)", to, from);
        label = arena_printf(arena, "%s[%s:%s]", label, from, to);
    }
    return label;
}

static OffPlace off_place(Cg *cg, Span span, const char *function) {
    Place p = cg_place(cg, span);
    int length = span.hi > span.lo ? (int)(span.hi - span.lo) : 1;
    return (OffPlace){p.file->path, function, p.line, p.col, length, cg_line_hash(cg, p)};
}

static OffArg scalar_arg(Launch *l, LLVMValueRef v, const char *label, Span span) {
    return (OffArg){.value = v, .label = label, .place = off_place(l->f->cg, span, l->kernel->name)};
}

static const ArgPlan *arg_plan(const Launch *l, int param) {
    const LaunchPlan *plan = l->expr ? l->expr->offload.plan : NULL;
    return plan ? &plan->args[param] : NULL;
}

static OffArg section_arg(Launch *l, const Symbol *p) {
    const Expr *arg = l->expr && p->mode != REF_SCRATCH ? l->expr->offload.call->call.args.at[p->dim].value : NULL;
    const ArgPlan *plan = arg_plan(l, p->dim);
    Cg *cg = l->f->cg;
    return (OffArg){.base = l->arrays[p->dim].data,
                    .begin = l->begin[p->dim],
                    .size_bytes = l->bytes[p->dim],
                    .transfer = cg_without_copies(l->f, l->span, p->dim,
                                                  plan ? plan->transfer : l->kernel->transfers.at[p->dim]),
                    .label = arg && expr_is_part(arg) ? slice_label(cg, arg)
                                                : section_label(&cg->c->arena, p, &l->kernel->shapes.at[p->dim]),
                    .place = off_place(cg, p->span, l->kernel->name)};
}

static bool is_resident(const Launch *l, int param) {
    const ArgPlan *plan = arg_plan(l, param);
    const Symbol *p = l->kernel->params.at[param];
    if (l->is_later)
        return p->type->kind == TY_ARRAY && p->mode != REF_NONE && p->mode != REF_SCRATCH &&
               l->kernel->transfers.at[param] != TRANSFER_UNUSED;
    return plan && plan->resident;
}

/* A resident array outlives the launch that maps it, so its label uses the name in the program, not the parameter's. */
static OffArg resident_arg(Launch *l, const Symbol *p) {
    OffArg section = section_arg(l, p);
    const Expr *arg = l->named ? l->named->offload.call->call.args.at[p->dim].value : NULL;
    const Symbol *array = arg ? expr_array_symbol(arg) : NULL;
    if (!array) return section;
    section.label = expr_is_part(arg) ? slice_label(l->f->cg, arg) : array->name;
    section.place = off_place(l->f->cg, arg->span, l->kernel->name);
    return section;
}

static LLVMValueRef device_number(const Launch *l) { return l->number ? l->number : cg_i64(l->f->cg, -1); }

/* Maps a resident array. */
static void enter_resident(CgFunc *f, const Symbol *array, Span block) {
    CgArray a = cg_symbol_array(f, array);
    OffArg section = {.label = array->name, .place = off_place(f->cg, array->span, f->func->name)};
    OffPlace place = off_place(f->cg, block, f->func->name);
    bool reads = !cg_removes(f, "copy-enter", block, array->id);
    LLVMValueRef args[6] = {off_section_info(f->cg->off, &section, &place), cg_i64(f->cg, -1), a.data,
                            cg_array_bytes(f, &a), cg_i32(f->cg, reads), cg_i32(f->cg, 0)};
    cg_call_runtime(f, RT_ON_DEVICE, args, 6);
}

static int count_resident(const Launch *l) {
    int n = 0;
    for (int i = 0; i < l->kernel->params.n; i++) n += is_resident(l, i);
    return n;
}

/* The launch then finds its arrays mapped already, and copies nothing. */
static void make_resident(Launch *l) {
    const Func *k = l->kernel;
    CgFunc *f = l->f;
    Cg *cg = f->cg;
    LLVMBasicBlockRef done = NULL;
    if (count_resident(l) > 1) { /* one call on devices that work in place */
        LLVMValueRef asked[2] = {device_number(l), cg_wait_place(f, l->span)};
        LLVMValueRef none = cg_call_runtime(f, RT_KEEPS_NOTHING, asked, 2);
        LLVMBasicBlockRef some = cg_block(f, "resident");
        done = cg_block(f, "mapped");
        LLVMBuildCondBr(f->b, LLVMBuildICmp(f->b, LLVMIntNE, none, cg_i32(cg, 0), ""), done, some);
        cg_enter(f, some);
    }
    for (int i = 0; i < k->params.n; i++) {
        if (!is_resident(l, i)) continue;
        const ArgPlan *plan = arg_plan(l, i);
        if (plan && plan->brings_whole)
            enter_resident(l->f, expr_array_symbol(l->expr->offload.call->call.args.at[i].value), l->span);
        OffArg section = resident_arg(l, k->params.at[i]);
        OffPlace place = off_place(cg, l->span, k->name);
        LLVMValueRef args[6] = {off_section_info(cg->off, &section, &place), device_number(l), section.begin,
                                section.size_bytes, cg_i32(cg, (section.transfer & TRANSFER_TO) != 0),
                                cg_i32(cg, (section.transfer & TRANSFER_FROM) != 0)};
        cg_call_runtime(f, RT_ON_DEVICE, args, 6);
    }
    if (!done) return;
    cg_goto(f, done);
    cg_enter(f, done);
}

static OffArg array_arg(Launch *l, const Symbol *p) {
    OffArg section = section_arg(l, p);
    return section.transfer == TRANSFER_UNUSED ? scalar_arg(l, section.base, p->name, p->span) : section;
}

/* After a launch that was not executed, copies resident data that the host version needs from the device. */
static void copy_back(Launch *l) {
    for (int i = 0; i < l->kernel->params.n; i++) {
        if (!is_resident(l, i)) continue;
        bool writes = (l->is_later ? l->kernel->transfers.at[i] : arg_plan(l, i)->transfer) & TRANSFER_FROM;
        LLVMValueRef args[3] = {l->begin[i], l->bytes[i], cg_i32(l->f->cg, writes)};
        cg_call_runtime(l->f, RT_NOT_ON_DEVICE, args, 3);
    }
}

/* A bool is passed as a byte. */
static LLVMValueRef whole_bytes(CgFunc *f, CgValue v) {
    return v.type->kind == TY_BOOL ? LLVMBuildZExt(f->b, v.v, f->cg->i8, "") : v.v;
}

/* A by-value argument: one literal argument, or one for every 8 bytes of a struct or vector. */
static int value_args(Launch *l, const Symbol *p, OffArg *args) {
    CgValue v = l->scalars[p->dim];
    int n = cg_slot_count(v.type);
    if (!type_is_parts(v.type)) {
        args[0] = scalar_arg(l, whole_bytes(l->f, v), p->name, p->span);
        return n;
    }
    LLVMValueRef *slots = arena_array(&l->f->cg->c->arena, LLVMValueRef, n);
    cg_value_to_slots(l->f, v, slots);
    for (int i = 0; i < n; i++) args[i] = scalar_arg(l, slots[i], p->name, p->span);
    return n;
}

static int make_args(Launch *l, OffArg *args) {
    const Func *k = l->kernel;
    int n = 0;
    for (int i = 0; i < k->params.n; i++) {
        const Symbol *p = cg_abi_param(k, i);
        if (cg_by_reference(k, p)) args[n++] = array_arg(l, p);
        else n += value_args(l, p, args + n);
    }
    for (int i = 0; i < k->sizes.n; i++) {
        const Symbol *size = k->sizes.at[i];
        args[n++] = scalar_arg(l, l->sizes[i], size->name, size->span);
    }
    if (l->result)
        args[n++] = (OffArg){.base = l->result, .begin = l->result, .size_bytes = cg_i64(l->f->cg, cg_size(k->result)),
                             .transfer = TRANSFER_FROM, .label = "result",
                             .place = off_place(l->f->cg, k->name_span, k->name)};
    if (l->slot) args[n++] = cg_slot_arg(l->f, l->slot, k);
    if (l->prints) args[n++] = cg_print_arg(l->f, l->prints, k);
    if (l->shadow) args[n++] = scalar_arg(l, l->shadow, "shadow", k->name_span);
    return n;
}

/* i1: may the launch use the narrow entry? `small`: i32, whether the domain allows it (result of kdsl_geometry). */
static LLVMValueRef fits_narrow(Launch *l, LLVMValueRef small) {
    CgFunc *f = l->f;
    LLVMValueRef fits = LLVMBuildICmp(f->b, LLVMIntNE, small, cg_i32(f->cg, 0), "");
    for (int i = 0; i < l->kernel->params.n; i++) {
        const Type *t = l->kernel->params.at[i]->type;
        if (t->kind != TY_ARRAY) continue;
        LLVMValueRef most = cg_i64(f->cg, cg_size(t->elem) * CG_NARROW_ELEMENTS);
        fits = LLVMBuildAnd(f->b, fits, LLVMBuildICmp(f->b, LLVMIntSLE, l->bytes[i], most, ""), "fits");
    }
    for (int i = 0; i < l->kernel->sizes.n; i++) { /* an array without elements may be long in one dimension */
        LLVMValueRef most = cg_i64(f->cg, CG_NARROW_ELEMENTS);
        fits = LLVMBuildAnd(f->b, fits, LLVMBuildICmp(f->b, LLVMIntULE, l->sizes[i], most, ""), "fits");
    }
    for (int i = 0; i < l->kernel->params.n; i++) {
        const Symbol *p = l->kernel->params.at[i];
        if (!cg_is_narrow_value(l->kernel, p)) continue;
        LLVMValueRef most = cg_i64(f->cg, CG_NARROW_ELEMENTS), all = cg_i64(f->cg, 2 * (int64_t)CG_NARROW_ELEMENTS);
        LLVMValueRef above = LLVMBuildAdd(f->b, l->scalars[p->dim].v, most, ""); /* the lowest one */
        fits = LLVMBuildAnd(f->b, fits, LLVMBuildICmp(f->b, LLVMIntULE, above, all, ""), "fits");
    }
    return fits;
}

/* Computes the grid of a GPU launch; the CPU device decides for itself. */
static void set_geometry(Launch *l, const LLVMValueRef trips[3], OffLaunch *off) {
    CgFunc *f = l->f;
    Cg *cg = f->cg;
    const Func *k = l->kernel;
    if (!cg->options->gpu) return;
    LLVMTypeRef type = LLVMArrayType2(cg->i32, 6);
    LLVMValueRef at = cg_alloca(f, type, "geometry"), args[8] = {at};
    for (int axis = 0; axis < 3; axis++) {
        int d = k->domain.n - 1 - axis;
        args[1 + axis] = d < 0 ? cg_i64(cg, 1) : trips[d];
        args[4 + axis] = cg_i32(cg, !k->group.items ? 0 : d < 0 ? 1 : k->group.by[d]);
    }
    args[7] = cg_i32(cg, k->reduction != REDUCE_NONE);
    LLVMValueRef small = cg_call_runtime(f, RT_GEOMETRY, args, 8);
    off->narrow = off_narrow_symbol(cg->c, k->symbol);
    off->fits = fits_narrow(l, small);
    for (int i = 0; i < 6; i++) {
        LLVMValueRef n = cg_i64(cg, i);
        LLVMValueRef v = LLVMBuildLoad2(f->b, cg->i32, LLVMBuildInBoundsGEP2(f->b, cg->i32, at, &n, 1, ""), "");
        *(i < 3 ? &off->teams[i] : &off->threads[i - 3]) = v;
    }
    off->is_alone = k->reduction != REDUCE_NONE;
}

static LLVMValueRef launch(Launch *l, LLVMValueRef total, const LLVMValueRef trips[3]) {
    Cg *cg = l->f->cg;
    OffArg *args = arena_array(&cg->c->arena, OffArg, cg_entry_values(l->kernel) + 4);
    OffLaunch off = {.kernel = off_kernel_symbol(cg->c, l->kernel->symbol),
                     .place = off_place(cg, l->span, l->kernel->name),
                     .device = l->number,
                     .trip_count = total,
                     .args = args};
    make_resident(l);
    off.n_args = make_args(l, args);
    set_geometry(l, trips, &off);
    if (l->flops[0]) cg_call_runtime(l->f, RT_TRACE_WORK, l->flops, 2);
    return off_emit_launch(cg->off, l->f->b, &off);
}

static void run_on_host(Launch *l) {
    CgFunc *f = l->f;
    const Func *k = l->kernel;
    LLVMValueRef entry = cg_kernel_entry(f->cg, k);
    LLVMValueRef *args = arena_array(&f->cg->c->arena, LLVMValueRef, cg_entry_values(k) + 5);
    int n = 0;
    args[n++] = LLVMConstNull(f->cg->ptr);
    for (int i = 0; i < k->params.n; i++) {
        const Symbol *p = cg_abi_param(k, i);
        if (cg_by_reference(k, p)) {
            args[n++] = l->arrays[p->dim].data;
            continue;
        }
        cg_value_to_slots(f, l->scalars[p->dim], args + n);
        n += cg_slot_count(p->type);
    }
    for (int i = 0; i < k->sizes.n; i++) args[n++] = l->sizes[i];
    if (l->result) args[n++] = l->result;
    if (l->slot) args[n++] = l->slot;
    if (l->prints) args[n++] = l->prints;
    if (l->shadow) args[n++] = l->shadow;
    cg_call(f, LLVMGlobalGetValueType(entry), entry, args, n);
}

static int size_number(const Func *kernel, const Symbol *size) {
    int i = 0;
    while (kernel->sizes.at[i] != size) i++;
    return i;
}

/* `&scratch` arrays: the host only reserves memory, whose pages are touched if the host version runs. */
static void make_workspaces(Launch *l) {
    CgFunc *f = l->f;
    for (int i = l->kernel->n_given; i < l->kernel->params.n; i++) {
        const Symbol *p = l->kernel->params.at[i];
        LLVMValueRef ext[MAX_RANK];
        for (int d = 0; d < p->type->rank; d++) {
            const Extent *x = &l->kernel->shapes.at[i].at[d];
            ext[d] = cg_i64(f->cg, x->value);
            if (x->kind != EXTENT_CONST) ext[d] = cg_plus(f, l->sizes[size_number(l->kernel, x->size)], x->value);
        }
        l->arrays[i] = cg_array_new(f, p->type, ext, p->span);
        l->begin[i] = l->arrays[i].data;
        l->bytes[i] = cg_array_bytes(f, &l->arrays[i]);
    }
}

static void free_workspaces(Launch *l) {
    for (int i = l->kernel->n_given; i < l->kernel->params.n; i++)
        cg_call_runtime(l->f, RT_ARRAY_FREE, &l->arrays[i].data, 1);
}

/* May the kernel fail in a function of the standard library? Then the failure is reported at the launch. */
static bool may_fail_in_library(Cg *cg, const Func *kernel) {
    const Program *p = cg->program;
    bool found = kernel->module && kernel->module->is_std;
    for (int i = 0; i < p->funcs.n && !found; i++) {
        const Func *fn = p->funcs.at[i];
        found = !fn->is_kernel && fn->on_device && fn->may_fail && fn->module && fn->module->is_std;
    }
    return found && cg_has_slot(cg, kernel);
}

/* Emits the launch, after the arguments have been evaluated and the shapes checked. */
static CgValue run_launch(Launch *l) {
    CgFunc *f = l->f;
    Cg *cg = f->cg;
    const Func *k = l->kernel;
    bool is_noted = !cg_is_in_library(cg, l->span) && may_fail_in_library(cg, k);
    if (k->reduction) {
        l->result = cg_alloca(f, cg->i64, "result");
        LLVMBuildStore(f->b, cg_identity(cg, k->reduction, k->result), l->result);
    }
    LLVMValueRef trips[3], total = trip_count(l, trips);
    cg_debug_at(f, l->span);
    LLVMBasicBlockRef some = cg_block(f, "launch"), host = cg_block(f, "on.host");
    LLVMBasicBlockRef ran = cg_block(f, "ran"), done = cg_block(f, "launched");
    LLVMBuildCondBr(f->b, LLVMBuildICmp(f->b, LLVMIntNE, total, cg_i64(cg, 0), ""), some, done);
    cg_enter(f, some);
    if (is_noted) cg_called_at(f, l->span);
    make_workspaces(l);
    OffPlace place = off_place(cg, l->span, k->name);
    if (cg_has_slot(cg, k)) l->slot = cg_slot_take(f, k, l->number, &place);
    if (cg_prints(k)) l->prints = cg_print_buffer(f);
    if (k->is_shadowed) l->shadow = cg_shadow_launch(f, k);
    LLVMValueRef rc = launch(l, total, trips);
    LLVMBuildCondBr(f->b, LLVMBuildICmp(f->b, LLVMIntNE, rc, cg_i32(cg, 0), ""), host, ran);
    cg_enter(f, host);
    copy_back(l);
    run_on_host(l);
    cg_goto(f, ran);
    cg_enter(f, ran);
    free_workspaces(l);
    if (l->prints) cg_print_lines(f, k, l->span);
    if (l->shadow) cg_shadow_launched(f);
    if (l->slot) cg_slot_end(f, l->slot, rc, k);
    if (is_noted) cg_called_at(f, (Span){0});
    cg_session_launched(f, k, l->named);
    cg_goto(f, done);
    cg_enter(f, done);
    if (!k->reduction) return cg_value(NULL, k->result);
    return cg_load(f, cg_variable(l->result, k->result));
}

static CgValue launch_values(Launch *l) {
    Arena *arena = &l->f->cg->c->arena;
    const Func *kernel = l->kernel;
    l->begin = arena_array(arena, LLVMValueRef, kernel->params.n + 1);
    l->bytes = arena_array(arena, LLVMValueRef, kernel->params.n + 1);
    for (int i = 0; i < kernel->n_given; i++) {
        const Symbol *p = kernel->params.at[i];
        if (p->mode == REF_NONE) continue;
        if (!cg_by_reference(kernel, p)) {
            l->scalars[i] = cg_load(l->f, cg_variable(l->arrays[i].data, p->type));
            continue;
        }
        if (p->type->kind != TY_ARRAY) {
            map_value(l, p, l->arrays[i].data);
            continue;
        }
        l->begin[i] = l->arrays[i].data;
        l->bytes[i] = cg_array_bytes(l->f, &l->arrays[i]);
    }
    return run_launch(l);
}

static LLVMValueRef chosen_device(CgFunc *f, Expr *device) {
    LLVMValueRef args[2] = {cg_place_string(f->cg, device->span), cg_index_value(f, cg_expr(f, device))};
    cg_call_runtime(f, RT_CHECK_DEVICE, args, 2);
    return args[1];
}

/* Asynchronous launches: the arguments are stored in a closure (`frame`), from which a function of the program reads
 * them when the runtime executes the launch (runtime/async.c). This function lists the fields of the closure. */
static void frame_types(const Launch *l, LLVMTypeRef *types, int *n) {
    Cg *cg = l->f->cg;
    *n = 0;
    for (int i = 0; i < l->kernel->n_given; i++) {
        const Symbol *p = l->kernel->params.at[i];
        types[(*n)++] = p->mode == REF_NONE ? cg_type_mem(cg, p->type) : cg_desc_type(cg, p->type->rank);
    }
    for (int i = 0; i < l->kernel->sizes.n; i++) types[(*n)++] = cg->i64;
    types[(*n)++] = cg->i64; /* the device */
}

static LLVMValueRef emit_async_body(Launch *l, LLVMTypeRef frame) {
    Cg *cg = l->f->cg;
    const Func *k = l->kernel;
    CgFunc g;
    LLVMValueRef fn = LLVMAddFunction(cg->module, "later", LLVMFunctionType(cg->void_, &cg->ptr, 1, false));
    LLVMSetLinkage(fn, LLVMInternalLinkage);
    cg_func_begin(&g, cg, k, fn);
    g.is_kernel = false;
    g.checks = cg->target->checks;
    Launch later = {.f = &g, .span = l->span, .named = l->named, .kernel = k, .is_later = true};
    later.arrays = arena_array(&cg->c->arena, CgArray, k->params.n + 1);
    later.scalars = arena_array(&cg->c->arena, CgValue, k->params.n + 1);
    later.sizes = arena_array(&cg->c->arena, LLVMValueRef, k->sizes.n + 1);
    unsigned at = 0;
    for (int i = 0; i < k->n_given; i++) {
        const Symbol *p = k->params.at[i];
        LLVMValueRef field = LLVMBuildStructGEP2(g.b, frame, LLVMGetParam(fn, 0), at++, "");
        if (p->mode == REF_NONE) {
            later.scalars[i] = cg_load(&g, cg_variable(field, p->type));
            continue;
        }
        CgArray a = {.type = p->type, .name = p->name, .data = cg_load_desc(&g, field, p->type->rank, 0)};
        for (int d = 0; d < p->type->rank; d++) a.ext[d] = cg_load_desc(&g, field, p->type->rank, 1 + d);
        later.arrays[i] = a;
    }
    for (int i = 0; i < k->sizes.n; i++)
        later.sizes[i] =
            LLVMBuildLoad2(g.b, cg->i64, LLVMBuildStructGEP2(g.b, frame, LLVMGetParam(fn, 0), at++, ""), "");
    later.number = LLVMBuildLoad2(g.b, cg->i64, LLVMBuildStructGEP2(g.b, frame, LLVMGetParam(fn, 0), at, ""), "");
    launch_values(&later);
    LLVMBuildRetVoid(g.b);
    return fn;
}

/* An array of KdslUse: the arrays that the launch reads and writes, from which the runtime computes its dependences. */
static LLVMValueRef uses_of(Launch *l, int *n) {
    CgFunc *f = l->f;
    Cg *cg = f->cg;
    LLVMTypeRef fields[3] = {cg->ptr, cg->i64, cg->i64}, use = LLVMStructTypeInContext(cg->ctx, fields, 3, false);
    LLVMValueRef uses = cg_alloca(f, LLVMArrayType2(use, (uint64_t)l->kernel->n_given + 1), "uses");
    *n = 0;
    for (int i = 0; i < l->kernel->n_given; i++) {
        Transfer t = l->kernel->transfers.at[i];
        if (!l->begin[i] || l->kernel->params.at[i]->type->kind != TY_ARRAY || t == TRANSFER_UNUSED) continue;
        LLVMValueRef at = cg_i64(cg, (*n)++), one = LLVMBuildInBoundsGEP2(f->b, use, uses, &at, 1, "");
        LLVMValueRef values[3] = {l->begin[i], l->bytes[i], cg_i64(cg, (t & TRANSFER_FROM) != 0)};
        for (unsigned k = 0; k < 3; k++) LLVMBuildStore(f->b, values[k], LLVMBuildStructGEP2(f->b, use, one, k, ""));
    }
    return uses;
}

static void launch_async(Launch *l) {
    CgFunc *f = l->f;
    Cg *cg = f->cg;
    const Func *k = l->kernel;
    int n;
    LLVMTypeRef *types = arena_array(&cg->c->arena, LLVMTypeRef, k->params.n + k->sizes.n + 2);
    frame_types(l, types, &n);
    LLVMTypeRef type = LLVMStructTypeInContext(cg->ctx, types, (unsigned)n, false);
    LLVMValueRef frame = cg_alloca(f, type, "frame");
    unsigned at = 0;
    for (int i = 0; i < k->n_given; i++) {
        LLVMValueRef field = LLVMBuildStructGEP2(f->b, type, frame, at++, "");
        if (k->params.at[i]->mode == REF_NONE) cg_store(f, cg_variable(field, k->params.at[i]->type), l->scalars[i]);
        else cg_store_array(f, field, cg_array_value(f, &l->arrays[i]));
    }
    for (int i = 0; i < k->sizes.n; i++)
        LLVMBuildStore(f->b, l->sizes[i], LLVMBuildStructGEP2(f->b, type, frame, at++, ""));
    LLVMBuildStore(f->b, device_number(l), LLVMBuildStructGEP2(f->b, type, frame, at, ""));
    LLVMBasicBlockRef here = LLVMGetInsertBlock(f->b);
    LLVMValueRef fn = emit_async_body(l, type);
    cg_enter(f, here);
    cg_debug_at(f, l->span);
    int n_uses;
    LLVMValueRef uses = uses_of(l, &n_uses);
    LLVMValueRef args[6] = {fn, frame, LLVMBuildTruncOrBitCast(f->b, LLVMSizeOf(type), cg->i64, ""), uses,
                            cg_i64(cg, n_uses), device_number(l)};
    cg_call_runtime(f, RT_ASYNC, args, 6);
}

static CgValue emit_launch(CgFunc *f, Expr *e) {
    Cg *cg = f->cg;
    const CallInfo *info = e->offload.call->call.info;
    const Func *k = info->func;
    Launch l = {.f = f, .expr = e, .named = e, .span = e->span, .kernel = k, .info = info};
    l.arrays = arena_array(&cg->c->arena, CgArray, k->params.n + 1);
    l.parts = arena_array(&cg->c->arena, CgArray, k->params.n + 1);
    l.begin = arena_array(&cg->c->arena, LLVMValueRef, k->params.n + 1);
    l.bytes = arena_array(&cg->c->arena, LLVMValueRef, k->params.n + 1);
    l.scalars = arena_array(&cg->c->arena, CgValue, k->params.n + 1);
    l.sizes = arena_array(&cg->c->arena, LLVMValueRef, k->sizes.n + 1);
    if (e->offload.device) l.number = chosen_device(f, e->offload.device);
    evaluate(&l);
    cg_debug_at(f, e->span);
    cg_shape_checks(f, info, l.arrays, e->span);
    bool waits = cg_prints(k) || k->is_shadowed; /* there is a single print buffer, and one shadow */
    if (e->offload.async && e->offload.plan && !waits) {
        launch_async(&l);
        return cg_value(NULL, k->result);
    }
    LLVMValueRef place = cg_wait_place(f, e->span);
    if (waits) cg_call_runtime(f, RT_SETTLE, &place, 1);
    CgValue v = run_launch(&l);
    for (int i = 0; i < k->n_given; i++)
        if (l.parts[i].data) cg_part_back(f, &l.parts[i], &l.arrays[i], k->params.at[i]->mode);
    return v;
}

static CgValue emit_launch_values(CgFunc *f, const Func *kernel, CgArray *arrays, CgValue *scalars,
                                  LLVMValueRef *sizes) {
    Launch l = {
        .f = f, .span = kernel->name_span, .kernel = kernel, .arrays = arrays, .scalars = scalars, .sizes = sizes};
    return launch_values(&l);
}

const CgLaunches cg_launches = {
    .launch = emit_launch, .launch_values = emit_launch_values, .enter_resident = enter_resident};
