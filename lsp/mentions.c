/* mentions.c -- every place of a text at which a name stands, with what it names: declarations, uses, types, fields.
 * The text of a generic is not annotated; that of its first instance, a copy with the same places, is. */
#include <stdlib.h>
#include <string.h>

#include "lsp/internal.h"
#include "parser/children.h"

static void add(Analysis *a, Span at, Span declared, const Symbol *sym, const Type *type) {
    if (!is_in_source(a->source, at) || !declared.hi) return;
    Mention m = {at, declared, sym, type};
    vec_push(&a->c.arena, &a->mentions, m);
}

static void declare(Analysis *a, Span at, const Symbol *sym) {
    if (sym) add(a, at, sym->span, sym, NULL);
}

/* `math.lerp` has become a name: only its end is one in the text. */
static void use(Analysis *a, Span at, const Symbol *sym) {
    if (sym->table) sym = sym->table->sym; /* a local stands for it */
    uint32_t n = (uint32_t)strlen(sym->name);
    if (at.hi - at.lo > n) at.lo = at.hi - n;
    int length;
    const char *text = analysis_text(a, at, &length);
    if ((uint32_t)length == n && !memcmp(text, sym->name, n)) add(a, at, sym->span, sym, NULL);
}

static const Item *struct_named(const Analysis *a, Name name) {
    for (int i = 0; i < a->module->items.n; i++) {
        const Item *item = a->module->items.at[i];
        if (item->kind == ITEM_STRUCT && !strcmp(item->name, name)) return item;
    }
    return NULL;
}

static void walk_expr(Analysis *a, const Func *f, const Expr *e);

static void walk_type(Analysis *a, const Func *f, const TypeExpr *te) {
    if (!te) return;
    switch (te->kind) {
    case TE_ERROR: return;
    case TE_NAME: {
        const Item *item = struct_named(a, te->name.name);
        Span at = {te->span.lo, te->span.lo + (uint32_t)strlen(te->name.name)};
        if (item) add(a, at, item->name_span, item->struct_.sym, NULL);
        for (int i = 0; i < te->name.args.n; i++) walk_type(a, f, te->name.args.at[i]);
        return;
    }
    case TE_REF: walk_type(a, f, te->ref.to); return;
    case TE_ARRAY: break;
    }
    walk_type(a, f, te->array.elem);
    for (int i = 0; i < te->array.extents.n; i++) {
        const Expr *e = te->array.extents.at[i];
        const Symbol *size = NULL;
        for (int k = 0; f && e->kind == EXPR_NAME && k < f->sizes.n; k++)
            if (f->sizes.at[k]->name == e->name.name) size = f->sizes.at[k];
        if (size) use(a, e->span, size);
        else walk_expr(a, f, e);
    }
}

static void walk_field(Analysis *a, const Expr *e) {
    const Type *t = e->field.base->type;
    const Item *item = t && t->kind == TY_STRUCT ? struct_named(a, t->name) : NULL;
    for (int i = 0; item && i < item->struct_.fields.n; i++) {
        const Field *field = &item->struct_.fields.at[i];
        if (!strcmp(field->name, e->field.name)) add(a, e->field.name_span, field->span, NULL, e->type);
    }
}

/* P(a: 1.0): the labels. */
static void walk_labels(Analysis *a, const Expr *e) {
    const Item *item = e->type && e->type->kind == TY_STRUCT ? struct_named(a, e->type->name) : NULL;
    for (int i = 0; item && i < e->call.args.n; i++) {
        const Arg *arg = &e->call.args.at[i];
        for (int k = 0; arg->label && k < item->struct_.fields.n; k++) {
            const Field *field = &item->struct_.fields.at[k];
            Span at = {arg->span.lo, arg->span.lo + (uint32_t)strlen(field->name)};
            if (!strcmp(field->name, arg->label)) add(a, at, field->span, NULL, arg->value->type);
        }
    }
}

static void walk_binder(Analysis *a, const Binder *b) { declare(a, b->span, b->sym); }

static void walk_expr(Analysis *a, const Func *f, const Expr *e) {
    if (e->kind == EXPR_NAME && e->name.sym) use(a, e->span, e->name.sym);
    if (e->kind == EXPR_FIELD) walk_field(a, e);
    if (e->kind == EXPR_CALL) walk_labels(a, e);
    if (e->kind == EXPR_OFFLOAD) vec_push(&a->c.arena, &a->launches, e);
    if (e->kind == EXPR_INDEX && f && f->on_device) vec_push(&a->c.arena, &a->elements, e);
    for (int i = 0; e->kind == EXPR_COMPREHEND && i < e->comprehend.binders.n; i++)
        walk_binder(a, &e->comprehend.binders.at[i]);
    Children all = expr_children(e);
    for (Expr *x; (x = child_expr(&all));) walk_expr(a, f, x);
}

static void walk_stmt(Analysis *a, const Func *f, const Stmt *st) {
    if (st->kind == STMT_LET) {
        declare(a, st->let.name_span, st->let.sym);
        walk_type(a, f, st->let.type);
    }
    if (st->kind == STMT_SHARED) {
        declare(a, st->shared.name_span, st->shared.sym);
        walk_type(a, f, st->shared.type);
    }
    if (st->kind == STMT_FOR) walk_binder(a, &st->for_.binder);
    Children all = stmt_children(st);
    for (Expr *e; (e = child_expr(&all));) walk_expr(a, f, e);
    for (Stmt *one; (one = child_stmt(&all));) walk_stmt(a, f, one);
}

static void walk_block(Analysis *a, const Func *f, const Block *b) {
    for (int i = 0; b && i < b->stmts.n; i++) walk_stmt(a, f, b->stmts.at[i]);
}

static void walk_function(Analysis *a, const Item *item) {
    const Func *f = item->fn.func;
    for (int i = 0; i < item->fn.params.n; i++) {
        const Param *p = &item->fn.params.at[i];
        declare(a, p->span, p->sym);
        walk_type(a, f, p->type);
    }
    walk_type(a, f, item->fn.result);
    for (int i = 0; i < item->fn.over.n; i++) {
        const Binder *b = &item->fn.over.at[i];
        walk_binder(a, b);
        Children range = range_children(&b->range);
        for (Expr *e; (e = child_expr(&range));) walk_expr(a, f, e);
        if (b->by) walk_expr(a, f, b->by);
    }
    walk_block(a, f, item->fn.body);
}

static const Symbol *symbol_of(const Analysis *a, const Item *item) {
    for (int i = 0; i < a->module->symbols.n; i++)
        if (a->module->symbols.at[i]->item == item) return a->module->symbols.at[i];
    return NULL;
}

static void walk_item(Analysis *a, const Item *item) {
    switch (item->kind) {
    case ITEM_ERROR:
    case ITEM_IMPORT:
    case ITEM__COUNT: return;
    case ITEM_FN:
    case ITEM_KERNEL: {
        add(a, item->name_span, item->name_span, symbol_of(a, item), NULL);
        bool is_generic = item->fn.generics.n && item->fn.instances.n;
        walk_function(a, is_generic ? item->fn.instances.at[0] : item);
        return;
    }
    case ITEM_STRUCT:
        add(a, item->name_span, item->name_span, item->struct_.sym, NULL);
        for (int i = 0; i < item->struct_.fields.n; i++) {
            const Field *field = &item->struct_.fields.at[i];
            add(a, field->span, field->span, NULL, NULL);
            walk_type(a, NULL, field->type);
        }
        return;
    case ITEM_CONST:
        declare(a, item->name_span, item->const_.sym);
        walk_type(a, NULL, item->const_.type);
        if (item->const_.value) walk_expr(a, NULL, item->const_.value);
        return;
    case ITEM_TEST: walk_block(a, item->test.func, item->test.body); return;
    }
}

static int by_place(const void *x, const void *y) {
    const Mention *a = x, *b = y;
    if (a->at.lo != b->at.lo) return a->at.lo < b->at.lo ? -1 : 1;
    return (a->at.hi > b->at.hi) - (a->at.hi < b->at.hi);
}

void mentions_find(Analysis *a) {
    for (int i = 0; i < a->module->items.n; i++) walk_item(a, a->module->items.at[i]);
    if (a->mentions.n) qsort(a->mentions.at, (size_t)a->mentions.n, sizeof *a->mentions.at, by_place);
    int kept = 0; /* `x += 1` mentions x once */
    for (int i = 0; i < a->mentions.n; i++)
        if (!kept || a->mentions.at[kept - 1].at.lo != a->mentions.at[i].at.lo)
            a->mentions.at[kept++] = a->mentions.at[i];
    a->mentions.n = kept;
}

const Mention *mention_at(const Analysis *a, uint32_t offset) {
    offset += a->source->base;
    for (int i = 0; i < a->mentions.n; i++) {
        const Mention *m = &a->mentions.at[i];
        if (offset >= m->at.lo && offset <= m->at.hi) return m;
    }
    return NULL;
}
