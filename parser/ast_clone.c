/* ast_clone.c -- deep copies of items, for the instances of generics (monomorphisation). Sema annotates the tree, and
 * checks a generic function once for each set of types, so each instance needs a tree of its own; the declaration stays
 * unannotated. Fields are copied, and pointers to nodes are cloned. */
#include <string.h>

#include "parser/children.h"

static Expr *clone_expr(Arena *a, const Expr *e);
static Block *clone_block(Arena *a, const Block *b);
static Stmt *clone_stmt(Arena *a, const Stmt *s);

/* Gives the list memory of its own, with the same elements. */
#define OWN_LIST(arena, list)                                                                                          \
    do {                                                                                                               \
        int n = (list)->n;                                                                                             \
        void *at = arena_alloc((arena), sizeof *(list)->at * (size_t)n);                                               \
        if (n) memcpy(at, (list)->at, sizeof *(list)->at * (size_t)n);                                                 \
        (list)->at = at;                                                                                               \
        (list)->cap = n;                                                                                               \
    } while (0)

/* Clones the children of a copied node, which still points to those of the original. */
static void clone_children(Arena *a, Children all) {
    if (all.binders) OWN_LIST(a, all.binders);
    if (all.args) OWN_LIST(a, all.args);
    if (all.list) OWN_LIST(a, all.list);
    for (Expr **slot; (slot = child_slot(&all));) *slot = clone_expr(a, *slot);
    if (all.block) *all.block = clone_block(a, *all.block);
    if (all.other) *all.other = clone_stmt(a, *all.other);
}

static BinderList clone_domain(Arena *a, BinderList list) {
    OWN_LIST(a, &list);
    for (int i = 0; i < list.n; i++) {
        Binder *b = &list.at[i];
        b->range.lo = clone_expr(a, b->range.lo);
        b->range.hi = clone_expr(a, b->range.hi);
        b->range.step = clone_expr(a, b->range.step);
        b->by = clone_expr(a, b->by);
    }
    return list;
}

/* ---- types ---- */

static TypeExpr *clone_type(Arena *a, const TypeExpr *t) {
    if (!t) return NULL;
    TypeExpr *copy = arena_new(a, TypeExpr);
    *copy = *t;
    switch (t->kind) {
    case TE_ERROR: break;
    case TE_NAME:
        copy->name.args = (TypeExprList){0};
        for (int i = 0; i < t->name.args.n; i++) vec_push(a, &copy->name.args, clone_type(a, t->name.args.at[i]));
        break;
    case TE_ARRAY:
        copy->array.elem = clone_type(a, t->array.elem);
        OWN_LIST(a, &copy->array.extents);
        for (int i = 0; i < t->array.extents.n; i++)
            copy->array.extents.at[i] = clone_expr(a, t->array.extents.at[i]);
        break;
    case TE_REF: copy->ref.to = clone_type(a, t->ref.to); break;
    }
    return copy;
}

/* ---- expressions ---- */

static Expr *clone_expr(Arena *a, const Expr *e) {
    if (!e) return NULL;
    Expr *copy = arena_new(a, Expr);
    *copy = *e;
    clone_children(a, expr_children(copy));
    return copy;
}

/* ---- statements ---- */

static Block *clone_block(Arena *a, const Block *b) {
    if (!b) return NULL;
    Block *copy = arena_new(a, Block);
    copy->span = b->span;
    copy->depth = b->depth;
    for (int i = 0; i < b->stmts.n; i++) vec_push(a, &copy->stmts, clone_stmt(a, b->stmts.at[i]));
    return copy;
}

static Stmt *clone_stmt(Arena *a, const Stmt *s) {
    if (!s) return NULL;
    Stmt *copy = arena_new(a, Stmt);
    *copy = *s;
    clone_children(a, stmt_children(copy));
    if (s->kind == STMT_LET) copy->let.type = clone_type(a, s->let.type);
    if (s->kind == STMT_SHARED) copy->shared.type = clone_type(a, s->shared.type);
    return copy;
}

/* ---- items ---- */

static void clone_function(Arena *a, Item *copy, const Item *i) {
    copy->fn.params = (ParamList){0};
    for (int k = 0; k < i->fn.params.n; k++) {
        Param p = i->fn.params.at[k];
        p.type = clone_type(a, p.type);
        vec_push(a, &copy->fn.params, p);
    }
    copy->fn.result = clone_type(a, i->fn.result);
    copy->fn.over = clone_domain(a, i->fn.over);
    copy->fn.body = clone_block(a, i->fn.body);
}

static void clone_struct(Arena *a, Item *copy, const Item *i) {
    copy->struct_.fields = (FieldList){0};
    for (int k = 0; k < i->struct_.fields.n; k++) {
        Field f = i->struct_.fields.at[k];
        f.type = clone_type(a, f.type);
        vec_push(a, &copy->struct_.fields, f);
    }
}

Expr *ast_clone_expr(Compiler *c, const Expr *e) { return clone_expr(&c->arena, e); }

Item *ast_clone(Compiler *c, const Item *i) {
    Item *copy = arena_new(&c->arena, Item);
    *copy = *i;
    if (i->kind == ITEM_FN || i->kind == ITEM_KERNEL) clone_function(&c->arena, copy, i);
    else if (i->kind == ITEM_STRUCT) clone_struct(&c->arena, copy, i);
    return copy;
}
