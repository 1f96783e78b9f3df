/* generic.c -- generic functions, kernels and structs: their declarations and their instances (monomorphisation). An
 * instance is an ordinary function or struct: a copy of the declaration in which each type parameter is the name of a
 * type (SYM_TYPE). There is one instance for each set of types; infer.c finds the types at a call. A parameter
 * `[T; ..]`, an array of any rank, makes its function a generic, too: in an instance it is `[T; _, _]`, with the rank
 * of the argument.
 *
 * The names in an instance are looked up where the generic is declared: its text is checked in the scope of that
 * module, whoever calls it. The signature of an instance is checked at the first call, its body after the bodies of
 * the module being checked. A generic that is never used is checked once, with types that its constraints allow, and
 * generates no code. */
#include <string.h>

#include "sema/check.h"

enum { MAX_INSTANCE_DEPTH = 32, MAX_INSTANCES = 2000, MAX_INSTANCE_NAME = 160 };

/* Constraints ------------------------------------------------------------------------------------------------- */

static bool any_type(const Type *t) { return t->kind != TY_VOID && t->kind != TY_ARRAY; }
static bool is_integer(const Type *t) { return t->is_int; }
static bool is_float(const Type *t) { return t->is_float; }

static const struct {
    const char *name, *what;
    bool (*allows)(const Type *t);
    TypeKind witness;
} constraints[] = {
    {NULL, "a value type", any_type, TY_F32},
    {"number", "a number", type_is_number, TY_F32},
    {"float", "a float", is_float, TY_F32},
    {"integer", "an integer", is_integer, TY_I32},
};
enum { N_CONSTRAINTS = sizeof constraints / sizeof *constraints };

/* -1: there is none of this name. */
static int constraint_find(Name name) {
    if (!name) return 0;
    for (int i = 1; i < N_CONSTRAINTS; i++)
        if (!strcmp(constraints[i].name, name)) return i;
    return -1;
}

static void unknown_constraint(Sema *s, const Generic *g) {
    Diag *d = diag(s->c, E0350, g->constraint_span, "there is no constraint `%s`", g->constraint);
    const char *best = NULL;
    int distance = 4;
    for (int i = 1; i < N_CONSTRAINTS; i++) {
        int n = edit_distance(g->constraint, constraints[i].name, distance - 1);
        if (n >= distance) continue;
        distance = n;
        best = constraints[i].name;
    }
    if (best) diag_fix(s->c, d, g->constraint_span, best, "did you mean `%s`?", best);
    else diag_note(s->c, d, g->constraint_span, "use `number`, `float` or `integer`, or no constraint for any type");
}

bool constraint_allows(const Generic *g, const Type *t) {
    int i = constraint_find(g->constraint);
    return i >= 0 && constraints[i].allows(t);
}

const char *constraint_what(const Generic *g) { return constraints[constraint_find(g->constraint)].what; }

/* Declarations ------------------------------------------------------------------------------------------------ */

bool type_mentions(const TypeExpr *te, Name name) {
    switch (te->kind) {
    case TE_ERROR: return true; /* who knows */
    case TE_NAME:
        for (int i = 0; i < te->name.args.n; i++)
            if (type_mentions(te->name.args.at[i], name)) return true;
        return te->name.name == name;
    case TE_ARRAY: return type_mentions(te->array.elem, name);
    case TE_REF: return type_mentions(te->ref.to, name);
    }
    return true;
}

bool is_workspace(const TypeExpr *te) { return te->kind == TE_REF && te->ref.mode == REF_SCRATCH; }

/* No call could tell what it is. */
static bool check_mentioned(Sema *s, const Item *item, const Generic *g) {
    for (int i = 0; i < item->fn.params.n; i++) {
        const TypeExpr *te = item->fn.params.at[i].type;
        if (!is_workspace(te) && type_mentions(te, g->name)) return true;
    }
    Diag *d = diag(s->c, E0352, g->span, "no call of `%s` could determine the type parameter `%s`: no parameter uses "
                                         "it",
                   item->name, g->name);
    diag_note(s->c, d, g->span, "type parameters are inferred from the arguments");
    return false;
}

static bool name_is_taken(Sema *s, const Generic *g, Span at, Span first, const char *what) {
    Diag *d = diag(s->c, E0302, at, "`%s` is already %s", g->name, what);
    if (first.hi) diag_note(s->c, d, first, "it is declared here");
    return false;
}

static bool check_name_is_free(Sema *s, const Item *item, const GenericList *params, int i) {
    const Generic *g = &params->at[i];
    for (int k = 0; k < i; k++)
        if (params->at[k].name == g->name)
            return name_is_taken(s, g, g->span, params->at[k].span, "a type parameter");
    for (int k = 0; item->kind != ITEM_STRUCT && k < item->fn.params.n; k++)
        if (item->fn.params.at[k].name == g->name)
            return name_is_taken(s, g, item->fn.params.at[k].span, g->span, "a type parameter");
    return !type_find(s->types, g->name) || name_is_taken(s, g, g->span, (Span){0}, "a type");
}

static bool check_type_params(Sema *s, const Item *item, const GenericList *params) {
    bool ok = true;
    for (int i = 0; i < params->n; i++) {
        const Generic *g = &params->at[i];
        if (constraint_find(g->constraint) < 0) {
            unknown_constraint(s, g);
            ok = false;
        }
        ok = check_name_is_free(s, item, params, i) && ok;
        if (item->kind != ITEM_STRUCT) ok = check_mentioned(s, item, g) && ok;
    }
    return ok;
}

bool is_any_rank(const TypeExpr *te) {
    if (te->kind == TE_REF) te = te->ref.to;
    return te->kind == TE_ARRAY && te->array.extents.n == 1 && te->array.extents.at[0]->kind == EXPR_RANGE;
}

bool has_any_rank(const Item *item) {
    for (int i = 0; item->kind == ITEM_FN && i < item->fn.params.n; i++)
        if (is_any_rank(item->fn.params.at[i].type)) return true;
    return false;
}

/* NULL: the parameter has a rank. */
Type *any_rank_key(Sema *s, const Param *p, const Type *argument) {
    if (!is_any_rank(p->type)) return NULL;
    return type_array(s->types, s->index, argument && argument->kind == TY_ARRAY ? argument->rank : 1);
}

/* `[T; ..]` becomes `[T; _, _]`. */
static void give_rank(Sema *s, TypeExpr *te, int rank) {
    if (te->kind == TE_REF) te = te->ref.to;
    Span span = te->array.extents.at[0]->span;
    te->array.extents = (ExprList){0};
    for (int d = 0; d < rank; d++) {
        Expr *any = arena_new(s->arena, Expr);
        any->kind = EXPR_NAME;
        any->span = span;
        any->depth = 1;
        any->name.name = s->underscore;
        vec_push(s->arena, &te->array.extents, any);
    }
}

static bool check_may_be_generic(Sema *s, const Item *item) {
    if (item->kind == ITEM_STRUCT) return true;
    if (item->fn.is_extern && !is_std_name(item->name)) {
        diag(s->c, E0354, item->name_span, "`%s` is a C function and cannot be generic", item->name);
        return false;
    }
    const char *what = item->kind == ITEM_KERNEL ? "kernel" : "function";
    if (item->fn.is_export) {
        Diag *d = diag(s->c, E0354, item->fn.linkage_span, "an exported %s cannot be generic: C has no generics", what);
        diag_note(s->c, d, item->name_span, "export a function that calls `%s` with the types that C needs",
                  item->name);
        return false;
    }
    if (item->kind == ITEM_KERNEL || item->name != s->main || s->program->module != s->own_file) return true;
    diag(s->c, E0354, item->name_span, "`main` cannot be generic: nothing calls it with arguments");
    return false;
}

void generic_declare(Sema *s, Symbol *sym, const GenericList *params) {
    bool ok = check_may_be_generic(s, sym->item);
    if (!check_type_params(s, sym->item, params) || !ok) {
        sym->type = s->error;
        return;
    }
    Template *t = sym->generic = arena_new(s->arena, Template);
    int n_keys = params->n + (sym->func ? sym->item->fn.params.n : 0);
    *t = (Template){.item = sym->item, .params = params, .n_keys = n_keys, .module = s->program->module, .sym = sym};
    vec_push(s->arena, &s->templates, t);
    if (!sym->func) return;
    const ParamList *list = &sym->item->fn.params;
    while (sym->func->n_given < list->n && !is_workspace(list->at[sym->func->n_given].type)) sym->func->n_given++;
}

/* Where an instance is checked -------------------------------------------------------------------------------- */

/* The scope of a module. Made once and kept, because there may be many instances. */
static Scopes *module_scopes(Sema *s, Module *m) {
    if (m->idle_scopes.n) return m->idle_scopes.at[--m->idle_scopes.n];
    Scopes *made = arena_new(s->arena, Scopes), was = s->scopes;
    s->scopes = (Scopes){0};
    if (m->symbols.n) {
        for (int i = 0; i < m->symbols.n; i++) scope_again(s, m->symbols.at[i]);
    } else { /* it is being checked, and its names are the outermost */
        for (int i = 0; i < was.live.n && was.live.at[i]->level == 0; i++) scope_again(s, was.live.at[i]->sym);
    }
    *made = s->scopes;
    s->scopes = was;
    return made;
}

Elsewhere elsewhere_enter(Sema *s, Module *m) {
    Elsewhere here = {s->scopes, s->func, s->facts, s->block, s->loop_depth, m, module_scopes(s, m)};
    s->scopes = *here.lent;
    s->func = NULL;
    s->facts = NULL;
    s->block = NULL;
    s->loop_depth = 0;
    return here;
}

void elsewhere_leave(Sema *s, Elsewhere here) {
    *here.lent = s->scopes;
    vec_push(s->arena, &here.module->idle_scopes, here.lent);
    s->scopes = here.scopes;
    s->func = here.func;
    s->facts = here.facts;
    s->block = here.block;
    s->loop_depth = here.loop_depth;
}

Elsewhere instance_enter(Sema *s, const Instance *inst) {
    if (!inst) return (Elsewhere){0};
    Elsewhere here = elsewhere_enter(s, inst->of->module);
    scope_enter(s);
    for (int i = 0; i < inst->of->params->n; i++) {
        const Generic *g = &inst->of->params->at[i];
        Symbol *sym = symbol_new(s, SYM_TYPE, g->name, g->span, inst->args[i]);
        scope_again(s, sym);
    }
    return here;
}

void instance_leave(Sema *s, const Instance *inst, Elsewhere here) {
    if (!inst) return;
    scope_leave(s);
    elsewhere_leave(s, here);
}

/* Errors in the text of a generic that were reported since then apply to one instance: adds notes that say which, and
 * the chain of instantiations. */
void instance_notes(Sema *s, const Instance *inst, int since, int max_steps) {
    for (int i = since; inst && i < s->c->diags.list.n; i++) {
        Diag *d = s->c->diags.list.at[i];
        const Instance *at = d->severity == SEV_ERROR && d->code != E0355 ? inst : NULL;
        for (int steps = 0; at && steps < max_steps; at = at->made_in) {
            if (at->made_in && at->made_in->at.lo == at->at.lo) continue; /* the same use again */
            steps++;
            if (at->at.hi) diag_note(s->c, d, at->at, "in `%s`, instantiated for this %s", at->text,
                                     at->sym ? "use" : "call");
            else diag_note(s->c, d, at->of->item->name_span, "in `%s`: `%s` is never used, so it is checked with "
                                                             "these types",
                           at->text, at->of->item->name);
        }
    }
}

/* Instances --------------------------------------------------------------------------------------------------- */

static bool same_columns(const Template *t, const unsigned *a, const unsigned *b) {
    return a && b ? !memcmp(a, b, sizeof *a * (size_t)t->item->fn.params.n) : !a && !b;
}

static Instance *instance_find(const Template *t, Type **args, const unsigned *columns) {
    for (int i = 0; i < t->instances.n; i++) {
        Instance *inst = t->instances.at[i];
        if (!memcmp(inst->args, args, sizeof *args * (size_t)t->n_keys) && same_columns(t, inst->columns, columns))
            return inst;
    }
    return NULL;
}

/* "x[.., _]" */
static const char *column_text(Sema *s, Name array, unsigned mask) {
    const char *text = arena_printf(s->arena, "%s[", array);
    for (int d = 0; mask >> d; d++)
        text = arena_printf(s->arena, "%s%s%s", text, d ? ", " : "", mask >> d & 1 ? "_" : "..");
    return arena_printf(s->arena, "%s]", text);
}

static const char *instance_text(Sema *s, const Template *t, Type **args, const unsigned *columns) {
    const char *text = t->item->name, *sep = "<";
    for (int i = 0; i < t->n_keys; i++) {
        if (i >= t->params->n && !args[i]) continue;
        text = i < t->params->n ? arena_printf(s->arena, "%s%s%s", text, sep, type_name(s->c, args[i]))
                                : arena_printf(s->arena, "%s%srank %d", text, sep, args[i]->rank);
        sep = ", ";
    }
    for (int i = 0; columns && i < t->item->fn.params.n; i++) {
        if (!columns[i]) continue;
        text = arena_printf(s->arena, "%s%s%s", text, sep, column_text(s, t->item->fn.params.at[i].name, columns[i]));
        sep = ", ";
    }
    return name_of(&s->c->names, arena_printf(s->arena, "%s>", text));
}

/* Reported once: a call that needs one instance too many needs the next one as well. */
static Instance *endless(Sema *s, const Template *t, Span use, const Instance *made_in) {
    if (s->instances_end) return NULL;
    s->instances_end = true;
    Diag *d = diag(s->c, E0355, use, "`%s` would be instantiated with endlessly many types", t->item->name);
    const Instance *first = made_in;
    while (first && first->made_in) first = first->made_in;
    if (first && first->at.hi) diag_note(s->c, d, first->at, "the first instance is `%s`", first->text);
    if (made_in) diag_note(s->c, d, use, "the instances reach `%s`", made_in->text);
    diag_note(s->c, d, t->item->name_span, "each set of types is a new instance of this");
    return NULL;
}

static Instance *instance_new(Sema *s, Template *t, Type **args, const unsigned *columns, Span use) {
    const Instance *made_in = s->facts ? s->facts->instance : s->making;
    int depth = made_in ? made_in->depth + 1 : 0;
    const char *text = instance_text(s, t, args, columns);
    if (depth >= MAX_INSTANCE_DEPTH || s->n_instances >= MAX_INSTANCES || strlen(text) > MAX_INSTANCE_NAME)
        return endless(s, t, use, made_in);
    s->n_instances++;
    Instance *inst = arena_new(s->arena, Instance);
    *inst = (Instance){.of = t, .text = text, .at = use, .made_in = made_in, .depth = depth, .columns = columns};
    inst->args = arena_array(s->arena, Type *, t->n_keys + 1);
    memcpy(inst->args, args, sizeof *args * (size_t)t->n_keys);
    vec_push(s->arena, &t->instances, inst);
    return inst;
}

static const char *bound_text(Sema *s, const Instance *inst) {
    const char *text = "", *sep = "";
    for (int i = 0; i < inst->of->n_keys; i++) {
        int param = i - inst->of->params->n;
        if (param < 0)
            text = arena_printf(s->arena, "%s%s%s = %s", text, sep, inst->of->params->at[i].name,
                                type_name(s->c, inst->args[i]));
        else if (inst->args[i])
            text = arena_printf(s->arena, "%s%s%s: rank %d", text, sep, inst->of->item->fn.params.at[param].name,
                                inst->args[i]->rank);
        sep = *text ? ", " : "";
    }
    for (int i = 0; inst->columns && i < inst->of->item->fn.params.n; i++) {
        if (!inst->columns[i]) continue;
        Name name = inst->of->item->fn.params.at[i].name;
        text = arena_printf(s->arena, "%s%s%s: %s", text, sep, name, column_text(s, name, inst->columns[i]));
        sep = ", ";
    }
    return text;
}

/* `clamp$f32`: no other thing of a program has a name with `$`. */
static const char *symbol_text(Sema *s, const Instance *inst, const char *generic) {
    char *text = arena_printf(s->arena, "%s$%s", generic, inst->text + strlen(inst->of->item->name) + 1);
    char *to = strchr(text, '$') + 1;
    for (const char *at = to; *at; at++) {
        bool plain = (*at >= '0' && *at <= '9') || ((*at | 32) >= 'a' && (*at | 32) <= 'z');
        if (plain || to[-1] != '_') *to++ = plain ? *at : '_';
    }
    to[-1] = 0; /* the `>` */
    int same = 0;
    for (int i = 0; i < inst->of->instances.n; i++) {
        const Func *f = inst->of->instances.at[i]->func;
        same += f && !strncmp(f->symbol, text, strlen(text));
    }
    return same ? arena_printf(s->arena, "%s$%d", text, same + 1) : text;
}

Func *instance_func(Sema *s, Template *t, Type **args, const unsigned *columns, Span use) {
    Instance *inst = instance_find(t, args, columns);
    if (inst) return inst->func;
    Item *item = ast_clone(s->c, t->item);
    item->fn.generics = (GenericList){0};
    item->fn.is_export = false;
    for (int i = 0; i < item->fn.params.n; i++)
        if (args[t->params->n + i]) give_rank(s, item->fn.params.at[i].type, args[t->params->n + i]->rank);
    ColumnNumbers numbers = {0};
    if (columns && !columns_give(s, item, columns, &numbers, use)) return NULL;
    if (!(inst = instance_new(s, t, args, columns, use))) return NULL;
    inst->numbers = numbers;
    item->fn.bound = bound_text(s, inst);
    Func *f = func_new(s, item, t->module);
    f->symbol = symbol_text(s, inst, f->symbol);
    f->name = inst->text;
    f->facts->instance = inst;
    inst->func = f;
    vec_push(s->arena, &s->program->funcs, f);
    if (use.hi) vec_push(s->arena, &t->sym->item->fn.instances, item);
    check_signature(s, f);
    return f;
}

Symbol *instance_struct(Sema *s, Template *t, Type **args, Span use) {
    Instance *inst = instance_find(t, args, NULL);
    if (inst) return inst->sym;
    if (!(inst = instance_new(s, t, args, NULL, use))) return NULL;
    Item *item = ast_clone(s->c, t->item);
    item->name = inst->text;
    Symbol *sym = inst->sym = symbol_new(s, SYM_STRUCT, inst->text, t->item->name_span, NULL);
    sym->item = item;
    const Instance *outer = s->making;
    int since = s->c->diags.list.n;
    Elsewhere here = instance_enter(s, inst);
    s->making = inst;
    Type *type = struct_need(s, sym, use);
    s->making = outer;
    instance_leave(s, inst, here);
    if (is_bad(type)) instance_notes(s, inst, since, 1);
    else type->instance = inst;
    return sym;
}

/* What nothing uses ------------------------------------------------------------------------------------------- */

void generics_check_unused(Sema *s) {
    s->first_func = s->program->funcs.n;
    for (int i = 0; i < s->templates.n; i++) {
        Template *t = s->templates.at[i];
        if (t->instances.n) continue;
        Type **args = arena_array(s->arena, Type *, t->n_keys + 1);
        for (int k = t->params->n; k < t->n_keys; k++)
            args[k] = any_rank_key(s, &t->item->fn.params.at[k - t->params->n], NULL);
        for (int k = 0; k < t->params->n; k++)
            args[k] = type_scalar(s->types, constraints[constraint_find(t->params->at[k].constraint)].witness);
        if (t->item->kind == ITEM_STRUCT) instance_struct(s, t, args, (Span){0});
        else instance_func(s, t, args, NULL, (Span){0});
        check_bodies(s);
        s->first_func = s->program->funcs.n;
    }
}
