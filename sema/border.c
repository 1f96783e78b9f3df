/* border.c -- foreign interfaces: `extern "C"` functions, exported functions, and `test` blocks. A test is checked in
 * each compilation like a function without parameters; it is part of the program only if tests are to run. */
#include <string.h>

#include "sema/check.h"

/* Tests ------------------------------------------------------------------------------------------------------- */

static void same_test_name(Sema *s, const Func *test) {
    for (int i = 0; i < s->program->tests.n; i++) {
        const Func *other = s->program->tests.at[i];
        if (other->name != test->name) continue;
        Diag *d = diag(s->c, E0302, test->name_span, "there is already a test named `%s`", test->name);
        diag_note(s->c, d, other->name_span, "the first one is here");
        return;
    }
}

void declare_test(Sema *s, Item *item) {
    Item *fn = arena_new(s->arena, Item); /* later passes know functions only */
    fn->kind = ITEM_FN;
    fn->span = item->span;
    fn->name = item->name;
    fn->name_span = item->name_span;
    fn->fn.body = item->test.body;
    Func *f = arena_new(s->arena, Func);
    f->item = fn;
    f->name = item->name;
    f->name_span = item->name_span;
    f->module = s->program->module;
    f->symbol = arena_printf(s->arena, "test.%d", s->program->tests.n + 1);
    f->is_test = true;
    f->result = s->nothing;
    f->facts = arena_new(s->arena, FuncFacts);
    item->test.func = fn->fn.func = f;
    same_test_name(s, f);
    vec_push(s->arena, &s->program->tests, f);
    vec_push(s->arena, &s->program->funcs, f);
}

void keep_tests(Sema *s, bool run) {
    Program *p = s->program;
    p->runs_tests = run;
    if (run && !p->tests.n)
        diag(s->c, E1006, (Span){0}, "`%s` has no `test` blocks", p->module->source->path);
    if (run) return;
    int kept = 0;
    for (int i = 0; i < p->funcs.n; i++)
        if (!p->funcs.at[i]->is_test) p->funcs.at[kept++] = p->funcs.at[i];
    p->funcs.n = kept;
}

/* C ----------------------------------------------------------------------------------------------------------- */

bool is_std_name(Name name) { return !strncmp(name, "kdsl_std_", 9); } /* what stdlib/ is made of */

/* Names that have a meaning of their own in the executable, such as `main`. */
static bool is_reserved(const Func *f) {
    if (f->is_extern && is_std_name(f->item->name)) return false;
    return !strcmp(f->name, "main") || !strncmp(f->name, "kdsl_", 5);
}

static void check_c_name(Sema *s, const Func *f) {
    if (!is_reserved(f)) return;
    Diag *d = diag(s->c, E0811, f->name_span, "`%s` cannot be used as the name of a C function", f->name);
    diag_note(s->c, d, f->name_span, "`main` and names that begin with `kdsl_` are reserved for the runtime");
}

static bool has_c_type(const Type *t) {
    if (t->kind == TY_VECTOR || t->kind == TY_FIXED) return has_c_type(t->elem);
    for (int i = 0; i < t->n_fields; i++)
        if (!has_c_type(t->fields[i].type)) return false;
    return is_bad(t) || t->kind == TY_VOID || t->kind == TY_BOOL || t->kind == TY_STR || t->is_int ||
           t->kind == TY_F32 || t->kind == TY_F64 || t->kind == TY_STRUCT;
}

static void no_c_type(Sema *s, Span at, const Type *t, const char *hint) {
    Diag *d = diag(s->c, E0812, at, "%s has no corresponding type in C", quoted_type(s, t));
    for (int i = 0; i < t->n_fields; i++)
        if (!has_c_type(t->fields[i].type))
            diag_note(s->c, d, t->fields[i].span, "nor has this field, %s", quoted_type(s, t->fields[i].type));
    if (hint) diag_note(s->c, d, at, "%s", hint);
}

/* A generic function of C, in stdlib/: each array is passed as a KdslArray, which describes it (runtime/runtime.h). */
bool passes_described(const Func *f) { return f->is_extern && f->item->fn.bound; }

static void check_c_types(Sema *s, Func *f) {
    for (int i = 0; i < f->facts->owners.n; i++) {
        const Symbol *sym = f->facts->owners.at[i];
        if (!sym->part_of) no_c_type(s, sym->as_written->span, sym->type, "pass its arrays as separate parameters");
    }
    for (int i = 0; i < f->n_given; i++) {
        const Type *t = f->params.at[i]->type;
        bool text = f->params.at[i]->mode != REF_NONE && t->kind == TY_STR;
        if (t->kind == TY_ARRAY && passes_described(f)) continue;
        if (t->kind == TY_ARRAY) t = t->elem;
        if (!has_c_type(t) || text) no_c_type(s, f->item->fn.params.at[i].type->span, t,
                                                text ? "pass text by value" : NULL);
    }
    if (has_c_type(f->result)) return;
    no_c_type(s, f->item->fn.result->span, f->result,
              f->result->kind == TY_ARRAY ? "take an array as `&out` and fill it" : NULL);
    f->result = s->error;
}

/* Functions of the C library that generated code may call: an export of such a name would be called instead. */
static bool is_taken(Sema *s, Name name) {
    static const char *const taken[] = {"memcpy", "memset", "memmove", "malloc", "free", "strlen", "strcmp", "exit"};
    for (size_t i = 0; i < sizeof taken / sizeof *taken; i++)
        if (!strcmp(name, taken[i])) return true;
    return builtin_find(s, name) != BUILTIN_NONE;
}

static Name border_name(Sema *s, const Func *f, int param, int dim) {
    const Symbol *size = f->shapes.at[param].at[dim].size;
    if (size && size->name != s->underscore) return size->name;
    return name_of(&s->c->names, arena_printf(s->arena, "%s_%d", f->params.at[param]->name, dim));
}

/* A C caller passes each size once, in the order in which the arrays mention them. */
static void find_border(Sema *s, Func *f) {
    for (int i = 0; i < f->n_given; i++)
        for (int d = 0; d < f->shapes.at[i].rank; d++) {
            const Extent *x = &f->shapes.at[i].at[d];
            if (x->kind != EXTENT_BINDS && x->kind != EXTENT_ANY) continue;
            BorderSize b = {border_name(s, f, i, d), i, d, x->kind == EXTENT_BINDS ? x->value : 0, x->size};
            vec_push(s->arena, &f->border, b);
        }
}

void check_export(Sema *s, Func *f) {
    if (is_taken(s, f->name))
        diag(s->c, E0811, f->name_span, "`%s` is the name of a C library function; export it under another name",
             f->name);
    else check_c_name(s, f);
    check_c_types(s, f);
    find_border(s, f);
}

/* `for i in shape(a, 0) { for j in shape(a, 1) { a[i, j] = ...; } }` */
static void note_elements(Sema *s, Diag *d, const Symbol *p) {
    static const char *const names[] = {"i", "j", "k", "l"};
    const char *loops = "", *at = "", *ends = "";
    int rank = p->type->kind == TY_ARRAY && p->type->rank <= 4 ? p->type->rank : 0;
    for (int k = 0; k < rank; k++) {
        const char *extent = rank == 1 ? arena_printf(s->arena, "len(%s)", p->name)
                                       : arena_printf(s->arena, "shape(%s, %d)", p->name, k);
        loops = arena_printf(s->arena, "%sfor %s in %s { ", loops, names[k], extent);
        at = arena_printf(s->arena, "%s%s%s", at, k ? ", " : "", names[k]);
        ends = arena_printf(s->arena, "%s }", ends);
    }
    if (!rank) return;
    diag_note(s->c, d, p->span, "to replace it, assign its elements: `%s%s[%s] = ...;%s`", loops, p->name, at, ends);
    diag_note(s->c, d, p->span,
              "to swap, give the function an array of its own, `var own = copy(&%s);`, swap that, and at the end "
              "assign its elements to `%s`: `%s%s[%s] = own[%s];%s`",
              p->name, p->name, loops, p->name, at, at, ends);
}

/* The C caller keeps the address of its array: it would not see a new array, and its memory must not be freed here. */
void check_kept(Sema *s, const Func *f) {
    for (int i = 0; f->is_export && i < f->params.n; i++) {
        const Symbol *p = f->params.at[i];
        if (!p->reshaped) continue;
        Diag *d = diag(s->c, E0813, p->span, "`%s` replaces or swaps the whole array `%s`, which belongs to the C "
                                             "caller",
                       f->name, p->name);
        note_elements(s, d, p);
    }
}

void check_extern(Sema *s, Func *f) {
    check_c_name(s, f);
    check_c_types(s, f);
    effect_add(s, EFFECT_EXTERN, f->name_span, "calls C code");
}
