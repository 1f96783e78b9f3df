/* kernel.c -- checks for kernels: the domain, the reduction, and the rule that nothing which a kernel reaches needs
 * the host. */
#include <string.h>

#include "sema/check.h"

/* Result ------------------------------------------------------------------------------------------------------ */

static const char *const reduction_names[] = {
    [REDUCE_NONE] = "none", [REDUCE_SUM] = "sum", [REDUCE_PROD] = "prod", [REDUCE_MIN] = "min", [REDUCE_MAX] = "max",
    [REDUCE_ANY] = "any",   [REDUCE_ALL] = "all", [REDUCE_COUNT] = "count",
};

const char *reduction_name(Reduction r) { return reduction_names[r]; }

static Reduction reduction_find(Name name) {
    for (int r = REDUCE_SUM; r <= REDUCE_COUNT; r++)
        if (strcmp(reduction_names[r], name) == 0) return (Reduction)r;
    return REDUCE_NONE;
}

static void result_broken(Sema *s, Func *f) {
    f->facts->skip_result = true;
    f->result = s->error;
}

/* -> sum [f32; 3] */
static bool reduces_array(Sema *s, Func *f, TypeExpr *te) {
    if (te->kind != TE_ARRAY) return false;
    diag(s->c, E0509, te->span, "`%s` combines single values, not arrays", reduction_name(f->reduction));
    f->item_result = f->result = s->error;
    return true;
}

static void numeric_reduction(Sema *s, Func *f, TypeExpr *te) {
    if (!te) {
        Diag *d = diag(s->c, E0509, f->item->fn.reduce_span, "`%s` needs the type of its values",
                       reduction_name(f->reduction));
        diag_note(s->c, d, f->item->fn.reduce_span, "name the type of what the items return, as in `-> %s f32`",
                  reduction_name(f->reduction));
        f->item_result = f->result = s->error;
        return;
    }
    if (reduces_array(s, f, te)) return;
    Type *t = scalar_type(s, te);
    if (!is_bad(t) && !type_is_number(t)) {
        diag(s->c, E0509, te->span, "`%s` needs numbers, not `%s`", reduction_name(f->reduction), t->name);
        t = s->error;
    }
    if (type_is_half(t)) {
        Diag *d = diag(s->c, E0509, te->span, "`%s` needs `f32` or a wider type, not `%s`",
                       reduction_name(f->reduction),
                       t->name);
        diag_fix(s->c, d, te->span, "f32", "combine the values as `f32`");
        t = s->error;
    }
    f->item_result = f->result = t;
}

static void logic_reduction(Sema *s, Func *f, TypeExpr *te) {
    f->item_result = s->boolean;
    f->result = f->reduction == REDUCE_COUNT ? s->index : s->boolean;
    if (!te || reduces_array(s, f, te)) return;
    Type *t = scalar_type(s, te);
    if (is_bad(t) || t == f->result) return;
    Diag *d = diag(s->c, E0509, te->span, "the result of `%s` is always `%s`", reduction_name(f->reduction),
                   f->result->name);
    diag_fix(s->c, d, (Span){f->item->fn.reduce_span.hi, te->span.hi}, "", "this reduction needs no type");
}

void check_kernel_result(Sema *s, Func *f) {
    Item *item = f->item;
    if (!item->fn.reduce && !item->fn.result) return;
    if (!item->fn.reduce) {
        Diag *d = diag(s->c, E0511, item->fn.result->span,
                       "a kernel cannot return a single value; name a reduction for the values of its work items");
        fix_insert(s, d, item->fn.result->span.lo, "sum ", "use sum, prod, min, max, any, all or count");
        result_broken(s, f);
        return;
    }
    f->reduction = reduction_find(item->fn.reduce);
    if (f->reduction == REDUCE_NONE) {
        diag(s->c, E0509, item->fn.reduce_span, "`%s` is not a reduction; use sum, prod, min, max, any, all or count",
             item->fn.reduce);
        result_broken(s, f);
        return;
    }
    if (f->reduction >= REDUCE_ANY) logic_reduction(s, f, item->fn.result);
    else numeric_reduction(s, f, item->fn.result);
}

/* Domain ------------------------------------------------------------------------------------------------------ */

/* The bounds are worked out on the host before the launch and again on the device: what they use must be there. */
static bool is_outside_domain(Expr *e, void *context) {
    (void)context;
    if (e->konst.kind != CONST_NONE) return false; /* an element of an array constant */
    switch (e->kind) {
    case EXPR_NAME: {
        const Symbol *sym = e->name.sym;
        if (!sym) return false;
        if (sym->is_group_value) return true;
        return sym->kind == SYM_DOMAIN ||
               (sym->kind == SYM_PARAM && sym->mode != REF_NONE && sym->type->kind != TY_ARRAY);
    }
    case EXPR_INDEX:
    case EXPR_OFFLOAD: return true;
    case EXPR_CALL:
        if (!e->call.info) return false;
        if (e->call.info->kind == CALL_BUILTIN)
            return e->call.info->receiver || builtin_rows[e->call.info->builtin].host_only;
        return e->call.info->kind == CALL_FUNC;
    case EXPR_ERROR: case EXPR_INT: case EXPR_FLOAT: case EXPR_BOOL: case EXPR_STR: case EXPR_UNARY: case EXPR_BINARY:
    case EXPR_FIELD: case EXPR_IF: case EXPR_FILL: case EXPR_COMPREHEND: case EXPR_LIST: case EXPR_RANGE:
    case EXPR_ATOMIC: case EXPR_CONVERT: case EXPR__COUNT: break;
    }
    return false;
}

/* `&` or `&mut ` before the type. */
static Span reference_span(const Func *f, const Symbol *param) {
    const TypeExpr *te = f->item->fn.params.at[param->dim].type;
    return (Span){te->ref.mode_span.lo, te->ref.to->span.lo};
}

static bool check_fixed(Sema *s, const Func *f, const Binder *b, Expr *part) {
    Expr *e = expr_find(part, is_outside_domain, NULL);
    if (!e) return true;
    if (e->kind == EXPR_NAME && e->name.sym->kind == SYM_PARAM) {
        Diag *d = diag(s->c, E0507, e->span, "the range of `%s` depends on `%s`, which is a reference", b->name,
                       e->name.name);
        diag_fix(s->c, d, reference_span(f, e->name.sym), "", "pass it by value");
        return false;
    }
    if (e->kind == EXPR_NAME) {
        Diag *d = diag(s->c, E0507, e->span, "the range of `%s` depends on `%s`, but the ranges of a domain must be "
                                             "independent", b->name,
                       e->name.name);
        note_declared(s, d, e->name.sym);
        diag_note(s->c, d, e->span, "use the whole range, and skip work items with `if ... { return; }`");
        return false;
    }
    diag(s->c, E0507, e->span, "a domain can only use parameters, sizes and constants, not %s",
         e->kind == EXPR_INDEX ? "elements of arrays" : "calls");
    return false;
}

static void check_domain_step(Sema *s, Range *r) {
    if (!r->step || is_bad(r->step->type)) return;
    if (r->step->konst.kind == CONST_INT && r->step->konst.i > 0) return;
    diag(s->c, E0512, r->step->span, "the step of a domain must be a positive constant");
}

static void check_axis(Sema *s, Func *f, Binder *b, int axis) {
    Type *t = s->error;
    if (check_binder(s, b, &t)) {
        if (f->group.items) group_range(s, &b->range, &t);
        bool ok = check_fixed(s, f, b, b->range.lo) && check_fixed(s, f, b, b->range.hi) &&
                  check_fixed(s, f, b, b->range.step);
        if (ok) check_domain_step(s, &b->range);
    }
    Symbol *sym = b->sym = symbol_new(s, SYM_DOMAIN, b->name, b->span, t);
    sym->dim = axis;
    scope_add(s, sym);
    if (axis < 3) vec_push(s->arena, &f->domain, sym);
    if (f->group.items) group_axis(s, f, b, sym);
}

void check_domain(Sema *s, Func *f) {
    BinderList *over = &f->item->fn.over;
    if (over->n < 1 || over->n > 3) {
        Diag *d = diag(s->c, E0508, over->n ? over->at[3].span : f->name_span,
                       "a domain has one to three variables, but this has %d", over->n);
        if (over->n) {
            const char *name = over->at[3].name;
            diag_note(s->c, d, over->at[3].span,
                      "loop over `%s` in each work item, or compute two variables from one: `over ij in a * b`, with "
                      "`i` as `ij / b` and `j` as `ij %% b`",
                      name);
        }
    }
    for (int i = 0; i < over->n; i++)
        if (over->at[i].by) f->group.items = 1;
    for (int i = 0; i < over->n; i++) check_axis(s, f, &over->at[i], i);
    if (f->group.items) group_done(s, f);
}

/* What kernels reach ------------------------------------------------------------------------------------------ */

static void effect_chain(Sema *s, Diag *d, const Func *f, int bit) {
    for (int steps = 0; steps < 8; steps++) {
        const EffectSource *from = &f->facts->effect[bit];
        if (!from->via) {
            diag_note(s->c, d, from->span, "`%s` %s here", f->name, from->what);
            return;
        }
        diag_note(s->c, d, from->span, "`%s` calls `%s` here", f->name, from->via->callee->name);
        f = from->via->callee;
    }
}

static const EffectSource *effect_origin(const Func *f, int bit) {
    const EffectSource *from = &f->facts->effect[bit];
    while (from->via) from = &from->via->callee->facts->effect[bit];
    return from;
}

static void note_kernels_print(Sema *s, Diag *d, Span span, const char *what) {
    if (what == shown_array_words) diag_note(s->c, d, span, "in a kernel, print the elements");
    if (what == shown_struct_words) diag_note(s->c, d, span, "in a kernel, print the fields");
}

static void check_effects(Sema *s, Func *f) {
    for (int bit = 0; bit < N_EFFECTS; bit++) {
        const EffectSource *from = &f->facts->effect[bit];
        if (!(f->effects & 1u << bit) || 1u << bit == EFFECT_PRINT) continue;
        if (!from->via) {
            Diag *d = diag(s->c, E0503, from->span, "this %s, which is only possible on the host", from->what);
            if (from->copy) diag_fix(s->c, d, from->span, from->copy, "copy it");
            else if (1u << bit == EFFECT_HEAP)
                diag_note(s->c, d, from->span, KERNEL_ARRAYS);
            note_kernels_print(s, d, from->span, from->what);
            continue;
        }
        Diag *d = diag(s->c, E0503, from->span, "`%s` cannot be called from a kernel: it %s", from->via->callee->name,
                       effect_origin(f, bit)->what);
        if (!d->notes.n) effect_chain(s, d, from->via->callee, bit);
        if (1u << bit == EFFECT_OFFLOAD)
            diag_note(s->c, d, from->span,
                      "a kernel cannot launch another one: compute it in a loop in this kernel, or call `%s` on the "
                      "host, before the launch",
                      from->via->callee->item->name);
        note_kernels_print(s, d, effect_origin(f, bit)->span, effect_origin(f, bit)->what);
    }
}

typedef Vec(Func *) FuncList;

static void mark_device(Sema *s, FuncList *reached) {
    for (int i = 0; i < s->program->funcs.n; i++) {
        Func *f = s->program->funcs.at[i];
        f->on_host = true;
        f->on_device = f->is_kernel;
        if (f->is_kernel) vec_push(s->arena, reached, f);
    }
    for (int i = 0; i < reached->n; i++) {
        CallSites *calls = &reached->at[i]->facts->calls;
        for (int k = 0; k < calls->n; k++) {
            Func *callee = calls->at[k]->callee;
            if (callee->on_device) continue;
            callee->on_device = true;
            vec_push(s->arena, reached, callee);
        }
    }
}

/* Take away whatever calls nothing (left): what remains runs into a cycle. Afterwards `pending` is not 0 there. */
static void find_endless(Sema *s, FuncList *reached) {
    FuncList ends = {0};
    for (int i = 0; i < reached->n; i++) {
        Func *f = reached->at[i];
        f->facts->pending = 0;
        for (int k = 0; k < f->facts->calls.n; k++) f->facts->pending += !f->facts->calls.at[k]->is_launch;
        if (!f->facts->pending) vec_push(s->arena, &ends, f);
    }
    for (int i = 0; i < ends.n; i++) {
        CallSites *callers = &ends.at[i]->facts->callers;
        for (int k = 0; k < callers->n; k++) {
            Func *caller = callers->at[k]->caller;
            if (caller->on_device && !callers->at[k]->is_launch && --caller->facts->pending == 0)
                vec_push(s->arena, &ends, caller);
        }
    }
}

static CallSite *endless_call(const Func *f) {
    for (int i = 0; i < f->facts->calls.n; i++) {
        CallSite *site = f->facts->calls.at[i];
        if (!site->is_launch && site->callee->facts->pending) return site;
    }
    return NULL;
}

/* From the kernel along the calls until one comes back to a function already passed. */
static void check_recursion(Sema *s, Func *kernel) {
    CallSite *first = endless_call(kernel);
    if (!first) return;
    Diag *d =
        diag(s->c, E0505, first->call->span, "`%s` leads to recursion, which is not possible on a device",
             first->callee->name);
    enum { MAX_STEPS = 8 };
    const Func *seen[MAX_STEPS] = {first->callee};
    for (int n = 1; n < MAX_STEPS; n++) {
        CallSite *next = endless_call(seen[n - 1]);
        if (!next) return;
        diag_note(s->c, d, next->call->span, "`%s` calls `%s` here", seen[n - 1]->name, next->callee->name);
        for (int i = 0; i < n; i++)
            if (seen[i] == next->callee) return;
        seen[n] = next->callee;
    }
}

void kernels_check(Sema *s) {
    FuncList reached = {0};
    mark_device(s, &reached);
    find_endless(s, &reached);
    for (int i = 0; i < s->program->funcs.n; i++) {
        Func *f = s->program->funcs.at[i];
        if (!f->is_kernel || f->facts->skip) continue;
        int since = s->c->diags.list.n;
        check_effects(s, f);
        check_recursion(s, f);
        instance_notes(s, f->facts->instance, since, ALL_STEPS);
    }
}
