/* row_copies.c -- as row_copies.h says. An access counts if a loop around its innermost one repeats it: `x[i, k]` in a
 * loop over k that is in a loop over something else. Short loops with constant bounds are left alone: they are
 * unrolled, and their accesses, at constant places, leave the outer loop by themselves. */
#include "sema/analysis/row_copies.h"

#include "parser/children.h"
#include "sema/analysis/axes.h"
#include "sema/check.h"

enum { MOST_ELEMENTS = 64, MOST_UNROLLED = 16, MOST_NESTED = 8 };

typedef struct Search {
    Arena *arena;
    const Func *kernel;
    RowCopies *out;
    const Stmt *outer;              /* of the item's body */
    const Stmt *loops[MOST_NESTED]; /* inside it, outermost first */
    int depth;
} Search;

/* Indices ---------------------------------------------------------------------------------------------------------- */

static int axis_of(const Func *kernel, const Expr *e) {
    for (int d = 0; d < kernel->domain.n; d++)
        if (e->kind == EXPR_NAME && e->name.sym == kernel->domain.at[d]) return d;
    return -1;
}

/* Is the axis 0..n, and n the extent? Then the row of each item of the domain exists. */
static bool spans(const Func *kernel, int axis, const Extent *x) {
    const Range *r = &kernel->item->fn.over.at[axis].range;
    if (r->step || !r->hi || (r->lo && (r->lo->konst.kind != CONST_INT || r->lo->konst.i < 0))) return false;
    if (x->kind == EXTENT_CONST) return r->hi->konst.kind == CONST_INT && r->hi->konst.i <= x->value;
    bool has_size = x->kind == EXTENT_BINDS || x->kind == EXTENT_SAME;
    return has_size && x->value >= 0 && r->hi->kind == EXPR_NAME && r->hi->name.sym == x->size;
}

static const Stmt *loop_over(const Search *s, const Symbol *variable) {
    for (int i = 0; i < s->depth; i++)
        if (s->loops[i]->kind == STMT_FOR && s->loops[i]->for_.binder.sym == variable) return s->loops[i];
    return NULL;
}

static bool is_value_of_launch(const Symbol *sym) {
    return sym->kind == SYM_SIZE || (sym->kind == SYM_PARAM && sym->mode == REF_NONE);
}

/* Is it the same for items that run in step: made of variables of loops inside that count from the same number? */
static bool is_in_step(const Search *s, const Expr *e) {
    if (e->konst.kind == CONST_INT) return true;
    if (e->kind == EXPR_CONVERT) return e->type->is_int && is_in_step(s, e->convert.operand);
    if (e->kind == EXPR_BINARY) {
        bool adds = e->binary.op == OP_ADD || e->binary.op == OP_SUB || e->binary.op == OP_MUL;
        return adds && is_in_step(s, e->binary.lhs) && is_in_step(s, e->binary.rhs);
    }
    if (e->kind != EXPR_NAME || !e->name.sym) return false;
    const Stmt *loop = loop_over(s, e->name.sym);
    if (!loop) return is_value_of_launch(e->name.sym);
    const Range *r = &loop->for_.binder.range;
    return (!r->lo || is_in_step(s, r->lo)) && (!r->step || r->step->konst.kind == CONST_INT);
}

static bool is_mention(Expr *e, void *context) { return e->kind == EXPR_NAME && e->name.sym == context; }

static bool walks(const Expr *access, int lead, const Symbol *variable) {
    for (int d = lead; d < access->index.at.n; d++)
        if (expr_find(access->index.at.at[d], is_mention, (void *)variable)) return true;
    return false;
}

/* Accesses --------------------------------------------------------------------------------------------------------- */

/* How many indices say whose row it is: all axes of the domain are among them. What items of other rows read as well
 * they share, as blocks of several rows do (unroll-and-jam), and need no copies of. */
static int leading(const Search *s, const Expr *e, const Shape *shape) {
    int lead = 0;
    unsigned axes = 0, all = (1u << s->kernel->domain.n) - 1;
    for (; lead < e->index.at.n; lead++) {
        int axis = axis_of(s->kernel, expr_strip(e->index.at.at[lead]));
        if (axis < 0 || !spans(s->kernel, axis, &shape->at[lead])) break;
        axes |= 1u << axis;
    }
    return axes == all ? lead : 0;
}

static int64_t row_elements(const Shape *shape, int lead) {
    int64_t n = 1;
    for (int d = lead; d < shape->rank; d++) {
        if (shape->at[d].kind != EXTENT_CONST || shape->at[d].value > MOST_ELEMENTS) return 0;
        n *= shape->at[d].value;
    }
    return n <= MOST_ELEMENTS && lead < shape->rank ? n : 0;
}

/* Does the innermost loop walk along the row, and one around it not? */
static bool is_repeated(const Search *s, const Expr *access, int lead) {
    const Stmt *inner = s->depth ? s->loops[s->depth - 1] : NULL;
    if (!inner || inner->kind != STMT_FOR || !walks(access, lead, inner->for_.binder.sym)) return false;
    const Range *r = &inner->for_.binder.range;
    bool is_constant = r->hi->konst.kind == CONST_INT && (!r->lo || r->lo->konst.kind == CONST_INT);
    if (is_constant && range_is_shorter(r, MOST_UNROLLED + 1)) return false;
    return s->outer->kind == STMT_WHILE || !walks(access, lead, s->outer->for_.binder.sym);
}

static bool has_same_row(const RowCopy *c, const Expr *access) {
    for (int d = 0; d < c->lead; d++)
        if (expr_strip(c->access->index.at.at[d])->name.sym != expr_strip(access->index.at.at[d])->name.sym)
            return false;
    return true;
}

static int copy_for(Search *s, RowCopy wanted) {
    for (int i = 0; i < s->out->copies.n; i++) {
        const RowCopy *c = &s->out->copies.at[i];
        bool is_same = c->array == wanted.array && c->loop == wanted.loop && c->lead == wanted.lead;
        if (is_same && has_same_row(c, wanted.access)) return i;
    }
    vec_push(s->arena, &s->out->copies, wanted);
    return s->out->copies.n - 1;
}

static bool note(Expr *e, void *context) {
    Search *s = context;
    const Expr *base = e->kind == EXPR_INDEX ? e->index.base : NULL;
    const Symbol *array = base && base->kind == EXPR_NAME ? base->name.sym : NULL;
    if (!array || array->kind != SYM_PARAM || array->mode != REF_IN || array->type->kind != TY_ARRAY) return false;
    if (!array->type->elem->is_int && !array->type->elem->is_float) return false;
    const Shape *shape = &s->kernel->shapes.at[array->dim];
    if (e->index.at.n != shape->rank) return false;
    int lead = leading(s, e, shape);
    int64_t n = lead ? row_elements(shape, lead) : 0;
    if (!n || !is_repeated(s, e, lead)) return false;
    for (int d = lead; d < shape->rank; d++)
        if (!is_in_step(s, e->index.at.at[d])) return false;
    int copy = copy_for(s, (RowCopy){array, s->outer, e, lead, n});
    vec_push(s->arena, &s->out->accesses, ((CopiedAccess){e, copy}));
    return false;
}

static void search(Search *s, Stmt *st) {
    bool is_loop = st->kind == STMT_FOR || st->kind == STMT_WHILE;
    Children all = stmt_children(st);
    if (is_loop && s->depth == MOST_NESTED) return;
    for (Expr *x; (x = child_expr(&all));) expr_find(x, note, s);
    if (is_loop) s->loops[s->depth++] = st;
    for (Stmt *inner; (inner = child_stmt(&all));) search(s, inner);
    s->depth -= is_loop;
}

bool kernel_copies_rows(Arena *arena, const Func *kernel, RowCopies *out) {
    Search s = {.arena = arena, .kernel = kernel, .out = out};
    const Block *body = kernel->item->fn.body;
    if (kernel->group.items) return false;
    for (int i = 0; i < body->stmts.n; i++) {
        s.outer = body->stmts.at[i];
        if (s.outer->kind != STMT_FOR && s.outer->kind != STMT_WHILE) continue;
        Children all = stmt_children(s.outer);
        for (Stmt *inner; (inner = child_stmt(&all));) search(&s, inner);
    }
    return out->copies.n > 0;
}
