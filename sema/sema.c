/* sema.c -- the driver of semantic analysis: its passes over a module, in order. sema.h describes their results on the
 * tree. */
#include "sema/check.h"
#include "sema/memo.h"

#include <string.h>

Expr *expr_strip(Expr *e) {
    while (e->kind == EXPR_CONVERT) e = e->convert.operand;
    return e;
}

Expr *expr_whole(Expr *e) {
    while (e->kind == EXPR_FIELD) e = e->field.base;
    return e;
}

Symbol *expr_root(const Expr *e) {
    while (e->kind == EXPR_FIELD || e->kind == EXPR_INDEX) e = e->kind == EXPR_FIELD ? e->field.base : e->index.base;
    return e->kind == EXPR_NAME ? e->name.sym : NULL;
}

const char *expr_made_name(Arena *arena, const Expr *e) {
    const Expr *callee = e->kind == EXPR_CALL ? e->call.callee : NULL;
    if (!callee || callee->kind != EXPR_NAME) return "the array";
    return arena_printf(arena, "%s()", callee->name.name);
}

static void sema_init(Sema *s, Compiler *c, Module *m) {
    Program *p = arena_new(&c->arena, Program);
    Types *t = types_new(c);
    *p = (Program){.c = c, .module = m, .types = t};
    *s = (Sema){.c = c, .arena = &c->arena, .program = p, .types = t};
    s->underscore = name_of(&c->names, "_");
    s->at = name_of(&c->names, "at");
    s->main = name_of(&c->names, "main");
    s->inside = name_of(&c->names, "inside");
    for (int i = 1; i < BUILTIN__COUNT; i++) s->builtin_name[i] = name_of(&c->names, builtin_rows[i].name);
    s->error = type_scalar(t, TY_ERROR);
    s->nothing = type_scalar(t, TY_VOID);
    s->boolean = type_scalar(t, TY_BOOL);
    s->i32 = type_scalar(t, TY_I32);
    s->i64 = type_scalar(t, TY_I64);
    s->u64 = type_scalar(t, TY_U64);
    s->index = type_scalar(t, TY_INDEX);
    s->f32 = type_scalar(t, TY_F32);
    s->f64 = type_scalar(t, TY_F64);
    s->str = type_scalar(t, TY_STR);
    s->int_literal = type_scalar(t, TY_INT_LITERAL);
    s->float_literal = type_scalar(t, TY_FLOAT_LITERAL);
}

/* Analyses that need a body without errors: where a part of it is unknown, no path through it can be judged. */
static void check_paths(Sema *s, Func *f) {
    if (f->facts->skip || f->facts->has_errors || f->is_extern) return;
    int errors = s->c->diags.n_errors, since = s->c->diags.list.n;
    assign_check(s, f);
    barriers_check(s, f);
    if (f->is_kernel && s->c->diags.n_errors == errors) transfer_infer(s, f);
    endless_check(s, f);
    warn_unused(s, f);
    instance_notes(s, f->facts->instance, since, ALL_STEPS);
}

/* Items, signatures and bodies of one module; those it imports have been through it. */
static void check_module(Sema *s, Module *m) {
    s->program->module = m;
    s->first_func = s->program->funcs.n;
    declare_items(s);
    check_signatures(s);
    check_bodies(s);
    host_names_explain(s);
    module_leave(s);
}

/* Sets p->launches. Exported kernels need no plan. */
static bool find_launches(Program *p, const SemaOptions *options) {
    bool found = options && options->is_session;
    for (int i = 0; i < p->funcs.n; i++) {
        const Func *f = p->funcs.at[i];
        found |= (f->effects & EFFECT_OFFLOAD) != 0;
        p->launches |= f->is_kernel && f->is_export;
    }
    p->launches |= found;
    return found;
}

/* What moves, and when. */
static void plan_all(Sema *s, const SemaOptions *options) {
    Program *p = s->program;
    bool plans = find_launches(p, options) && !(options && options->transfers_each);
    uses_find(s);
    for (int i = 0; i < p->funcs.n; i++)
        if (p->funcs.at[i]->is_kernel) transfer_narrow(s, p->funcs.at[i]);
    for (int i = 0; i < p->funcs.n && plans; i++) plan_transfers(s, p->funcs.at[i]);
    for (int i = 0; i < p->funcs.n && plans; i++) dead_fills_find(s, p->funcs.at[i]);
    for (int i = 0; i < p->funcs.n; i++) transfer_warn(s, p->funcs.at[i]);
    uses_at_border(s);
}

void sema_check_rest(Compiler *c, Module *m, const SemaOptions *options) {
    Sema s;
    int last = c->diags.list.n;
    if (c->diags.too_many) return;
    sema_init(&s, c, m);
    s.stdlib = options ? options->stdlib : NULL;
    s.options = options;
    holes_find(&s, m);
    if (!modules_load(&s, m)) return;
    for (int i = 0; i < s.in_order.n; i++) check_module(&s, s.in_order.at[i]);
    Vec(Diag *) kept = {0}; /* warnings wait until the text can be read */
    for (int i = last; i < c->diags.list.n; i++)
        if (c->diags.list.at[i]->severity == SEV_ERROR) vec_push(s.arena, &kept, c->diags.list.at[i]);
    for (int i = 0; i < kept.n; i++) c->diags.list.at[last + i] = kept.at[i];
    c->diags.n_warnings -= c->diags.list.n - last - kept.n;
    c->diags.list.n = last + kept.n;
}

static bool has_exports(const Module *m) {
    for (int i = 0; i < m->items.n; i++) {
        const Item *item = m->items.at[i];
        if ((item->kind == ITEM_FN || item->kind == ITEM_KERNEL) && item->fn.is_export) return true;
    }
    return false;
}

/* A declaration that could be exported. */
static bool is_exportable(const Item *item) {
    bool is_function = item->kind == ITEM_FN || item->kind == ITEM_KERNEL;
    return is_function && !item->fn.is_extern && !item->fn.generics.n && item->name[0] != '_';
}

/* Of a file that C is to call: kernels first, which is what it wants to reach. */
static void report_no_exports(Sema *s, const Module *m) {
    const Item *first = NULL;
    const char *others = "";
    for (int i = 0; i < m->items.n; i++) {
        const Item *item = m->items.at[i];
        if (is_exportable(item) && (!first || (first->kind == ITEM_FN && item->kind == ITEM_KERNEL))) first = item;
    }
    if (!first || s->program->main || has_exports(m)) return;
    for (int i = 0, n = 0; i < m->items.n && n < 4; i++) {
        const Item *item = m->items.at[i];
        if (!is_exportable(item) || item == first) continue;
        others = n == 3 ? arena_printf(s->arena, "%s, ...", others)
                        : arena_printf(s->arena, "%s%s`%s`", others, n ? ", " : "", item->name);
        n++;
    }
    const char *path = m->source->path, *slash = strrchr(path, '/');
    Diag *d = diag(s->c, W0801, first->name_span, "`%s` exports nothing that C could call: write `export %s %s`",
                   slash ? slash + 1 : path, first->kind == ITEM_KERNEL ? "kernel" : "fn", first->name);
    diag_fix(s->c, d, (Span){first->span.lo, first->span.lo}, "export ", "export it");
    if (*others) diag_note(s->c, d, first->name_span, "it also declares %s", others);
}

static bool has_tests(const Module *m) {
    for (int i = 0; i < m->items.n; i++)
        if (m->items.at[i]->kind == ITEM_TEST) return true;
    return false;
}

/* The place is the end of the last declaration, after which `main` would be written. */
static void report_no_main(Sema *s, const Module *m) {
    uint32_t end = m->source->base;
    if (m->items.n) end = m->items.at[m->items.n - 1]->span.hi;
    Span place = {m->items.n ? end - 1 : end, end};
    Diag *d = diag(s->c, E0328, place, "the program has no `fn main()`");
    for (int i = 0; i < m->items.n; i++)
        if (m->items.at[i]->kind == ITEM_FN && edit_distance(m->items.at[i]->name, s->main, 1) == 1)
            diag_fix(s->c, d, m->items.at[i]->name_span, s->main, "did you mean this function?");
    if (has_exports(m))
        diag_note(s->c, d, place,
                  "for a library of the exported functions, use `kdslc --shared`, or `-c` for an object file");
    else if (has_tests(m)) diag_note(s->c, d, place, "`kdslc test` runs the tests");
    else diag_note(s->c, d, place, "`kdslc check` and `--emit` need none");
}

static void find_races(Sema *s) {
    for (int i = 0; i < s->program->funcs.n; i++)
        if (s->program->funcs.at[i]->facts->queued) races_find(s, s->program->funcs.at[i]);
}

static void tell_races(Sema *s) {
    for (int i = 0; i < s->program->funcs.n; i++) races_tell(s, s->program->funcs.at[i]);
}

/* Not if accesses are recorded, since shadow.c uses the result; nor after an error, because later reports (no `main`,
 * unused names) depend on whether there are errors. */
static bool races_may_wait(const Sema *s) {
    const SemaOptions *o = s->options;
    return o && o->races_later && !s->c->diags.n_errors && !o->races_listed && !o->shadow && !o->only_reached &&
           !o->memo && (!o->need_main || s->program->main);
}

static void leave_races(const Sema *s) {
    Sema *kept = arena_new(s->arena, Sema);
    SemaOptions *options = arena_new(s->arena, SemaOptions);
    *options = *s->options; /* the caller's may be gone by then */
    *kept = *s;
    kept->options = options;
    s->program->waiting = kept;
}

Program *sema_check(Compiler *c, Module *m, const SemaOptions *options) {
    Sema s;
    sema_init(&s, c, m);
    m->type_text = type_name;
    s.stdlib = options ? options->stdlib : NULL;
    s.options = options;
    s.strict = options && options->strict;
    if (!modules_load(&s, m)) return s.program;
    memo_begin(&s);
    for (int i = 0; i < s.in_order.n; i++) check_module(&s, s.in_order.at[i]);
    session_name_types(&s);
    generics_check_unused(&s);
    effects_spread(&s);
    find_recursion(&s);
    shapes_check(&s);
    kernels_check(&s);
    for (int i = 0; i < s.program->funcs.n; i++) fuse_mark(&s, s.program->funcs.at[i]);
    for (int i = 0; i < s.program->funcs.n; i++) check_kept(&s, s.program->funcs.at[i]);
    for (int i = 0; i < s.program->funcs.n; i++) check_paths(&s, s.program->funcs.at[i]);
    for (int i = 0; i < s.program->funcs.n; i++) mistaken_check(&s, s.program->funcs.at[i]);
    for (int i = 0; i < s.program->consts.n; i++) wraps_check_const(&s, s.program->consts.at[i]);
    for (int i = 0; i < s.program->funcs.n; i++) accumulators_check(&s, s.program->funcs.at[i]);
    for (int i = 0; i < s.program->funcs.n; i++) wraps_check(&s, s.program->funcs.at[i]);
    group_drop_inlined(&s);
    keep_reached(&s, is_own);
    keep_tests(&s, options && options->run_tests);
    if (!c->diags.n_errors) plan_all(&s, options);
    if (!c->diags.n_errors) host_prove(&s), launch_values_find(&s);
    for (int i = 0; i < s.program->funcs.n && !c->diags.n_errors; i++) access_check(&s, s.program->funcs.at[i]);
    bool sound = !c->diags.n_errors;
    for (int i = 0; sound && i < s.program->funcs.n; i++) suspect_check(&s, s.program->funcs.at[i]);
    for (int i = 0; sound && i < s.program->funcs.n; i++) past_end_check(&s, s.program->funcs.at[i]);
    for (int i = 0; sound && i < s.program->funcs.n; i++) launch_bounds_check(&s, s.program->funcs.at[i]);
    if (options && options->only_reached) mark_reached(&s, session_is_new);
    bool races_wait = sound && races_may_wait(&s);
    if (sound && !races_wait) find_races(&s), tell_races(&s);
    for (int i = 0; sound && i < s.program->funcs.n; i++) unwritten_find(&s, s.program->funcs.at[i]);
    access_settle(&s);
    access_spread(&s);
    if (sound) combine_find(&s);
    s.program->shadow = options ? options->shadow : 0;
    if (sound) shadow_find(&s);
    if (options && options->only_reached) keep_reached(&s, session_is_input);
    if (!races_wait) warn_unused_items(&s);
    if (options && options->need_main && !s.program->main && !c->diags.n_errors) report_no_main(&s, m);
    if (options && options->is_library && !c->diags.n_errors) report_no_exports(&s, m);
    if (races_wait) leave_races(&s);
    return s.program;
}

bool sema_find_races(Program *p) {
    bool is_error = false;
    if (p->waiting) find_races(p->waiting);
    for (int i = 0; p->waiting && i < p->funcs.n; i++)
        is_error = is_error || races_are_error(p->waiting, p->funcs.at[i]);
    return !is_error;
}

void sema_tell_races(Program *p) {
    if (!p->waiting) return;
    tell_races(p->waiting);
    warn_unused_items(p->waiting); /* only if there is no error */
    p->waiting = NULL;
}
