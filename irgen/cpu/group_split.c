/* group_split.c -- index-set splitting of segments in unrolled loops: where a condition compares `i.local` with a known
 * value (cpu/group_unroll.c), as in `if i.local >= gap { } else { }`, the items below and above that value get loops of
 * their own, in which the condition is a constant. Legal because between barriers the items are unordered. Each loop
 * body is then straight-line code, which store-to-load forwarding needs; a loop without statements is not emitted. */
#include "irgen/cpu/group.h"

#include "sema/analysis/evaluate.h"

enum { MOST_CUTS = 3 /* for each axis */, MOST_BOXES = 6 };

typedef struct Compared { /* the comparison local[axis] op with */
    int axis;
    Op op;
    int64_t with;
} Compared;

/* Without conversions between integers of 32 bits or more: positions in a group are small, so these keep the value. */
const Expr *group_unconverted(const Expr *e) {
    enum { SMALL = 32 };
    for (;;) {
        e = group_declared(e);
        bool calls = e->kind == EXPR_CALL && e->call.info && e->call.info->kind == CALL_CONVERT;
        const Expr *from = e->kind == EXPR_CONVERT ? e->convert.operand : calls ? e->call.args.at[0].value : NULL;
        if (!from || !from->type->is_int || !e->type->is_int) return e;
        if (from->type->bits < SMALL || e->type->bits < SMALL) return e;
        e = from;
    }
}

static bool is_between(GroupRun *r, const Expr *place, Op op, const Expr *with, Compared *c) {
    bool is_local;
    int axis = group_axis_of(r->fn, group_unconverted(place), &is_local);
    if (axis < 0 || !is_local) return false;
    Const k = evaluate_expr(with, group_known, r);
    *c = (Compared){axis, op, k.i};
    return k.kind == CONST_INT && k.i > -INT32_MAX && k.i < INT32_MAX;
}

static bool find_compared(GroupRun *r, const Expr *e, Compared *c) {
    if (e->kind != EXPR_BINARY || e->konst.kind != CONST_NONE) return false;
    if (op_info[e->binary.op].kind != OPK_COMPARE) return false;
    return is_between(r, e->binary.lhs, e->binary.op, e->binary.rhs, c) ||
           is_between(r, e->binary.rhs, group_mirrored(e->binary.op), e->binary.lhs, c);
}

static bool holds(const Compared *c, int64_t at) {
    return op_info[c->op].orders & (at < c->with ? ORDER_LESS : at > c->with ? ORDER_GREATER : ORDER_EQUAL);
}

/* The comparison is constant in the box if it agrees at the first item, the last one and at `with`. */
Const group_known_in_box(GroupRun *r, const Expr *e) {
    Compared c;
    if (!find_compared(r, e, &c)) return (Const){0};
    int64_t lo = r->box->lo[c.axis], hi = r->box->hi[c.axis];
    bool first = holds(&c, lo), is_in = lo <= c.with && c.with < hi;
    if (holds(&c, hi - 1) != first || (is_in && holds(&c, c.with) != first)) return (Const){0};
    return (Const){.kind = CONST_BOOL, .i = first};
}

/* Bounds of indices ----------------------------------------------------------------------------------------------- */

typedef struct Span64 {
    int64_t lo, hi; /* both inclusive; lo > hi: unknown */
} Span64;

#define NOT_KNOWN ((Span64){1, 0})

static bool is_small(Span64 s) { return s.lo <= s.hi && s.lo > -INT32_MAX && s.hi < INT32_MAX; }

/* Interval arithmetic: the values of e for the items of the box. `let`s are replaced by their initialisers, unless
 * these contain a mutable variable, which may have another value now. */
static Span64 span_of(GroupRun *r, const Expr *e) {
    bool is_local;
    Const k = evaluate_expr(e, group_known, r);
    if (k.kind == CONST_INT) return (Span64){k.i, k.i};
    const Expr *value = group_unconverted(e);
    int d = group_axis_of(r->fn, value, &is_local);
    if (d >= 0 && !is_local) return NOT_KNOWN;
    if (d >= 0) return (Span64){r->box ? r->box->lo[d] : 0, (r->box ? r->box->hi[d] : r->group->by[d]) - 1};
    if (!group_is_sum(value) || !value->type->is_int || value->type->bits < 32) return NOT_KNOWN;
    if (value != e && expr_find((Expr *)value, group_is_variable, NULL)) return NOT_KNOWN;
    Span64 a = span_of(r, value->binary.lhs), b = span_of(r, value->binary.rhs);
    if (!is_small(a) || !is_small(b)) return NOT_KNOWN;
    Span64 s = value->binary.op == OP_ADD ? (Span64){a.lo + b.lo, a.hi + b.hi} : (Span64){a.lo - b.hi, a.hi - b.lo};
    bool may_wrap = s.lo < 0 && (value != e || !value->type->is_signed); /* if converted to unsigned */
    return may_wrap || !is_small(s) ? NOT_KNOWN : s;
}

/* The dimensions (a bit mask) in which the index of an element of a `shared` array is within its constant extent. */
unsigned group_known_inside(const Expr *element, void *run) {
    const Symbol *array = expr_array_symbol(element->index.base);
    unsigned inside = 0;
    for (int d = 0; array && array->is_shared && d < element->index.at.n; d++) {
        Span64 s = span_of(run, element->index.at.at[d]);
        if (is_small(s) && s.lo >= 0 && s.hi < array->dims[d].value) inside |= 1u << d;
    }
    return inside;
}

/* Split points ---------------------------------------------------------------------------------------------------- */

typedef struct Cuts {
    GroupRun *r;
    int64_t at[3][MOST_CUTS];
    int n[3];
    bool too_many;
} Cuts;

static void add_cut(Cuts *c, int axis, int64_t at) {
    int n = c->n[axis], i = n;
    if (at <= 0 || at >= c->r->group->by[axis]) return;
    for (int k = 0; k < n; k++)
        if (c->at[axis][k] == at) return;
    c->too_many |= n == MOST_CUTS;
    if (c->too_many) return;
    for (; i > 0 && c->at[axis][i - 1] > at; i--) c->at[axis][i] = c->at[axis][i - 1];
    c->at[axis][i] = at;
    c->n[axis]++;
}

static bool find_cut(Expr *e, void *cuts) {
    Cuts *c = cuts;
    Compared compared;
    if (!find_compared(c->r, e, &compared)) return false;
    int64_t at = compared.with;
    if (holds(&compared, at - 1) != holds(&compared, at)) add_cut(c, compared.axis, at);
    if (holds(&compared, at) != holds(&compared, at + 1)) add_cut(c, compared.axis, at + 1);
    return false;
}

/* Boxes of items -------------------------------------------------------------------------------------------------- */

static bool does_nothing(GroupRun *r, const Block *b);

static bool is_nothing(GroupRun *r, const Stmt *st) {
    if (st->kind == STMT_BLOCK) return does_nothing(r, st->block.block);
    if (st->kind != STMT_IF) return false;
    Const yes = evaluate_expr(st->if_.cond, group_known, r);
    if (yes.kind == CONST_NONE) return false;
    return yes.i ? does_nothing(r, st->if_.then_) : !st->if_.else_ || is_nothing(r, st->if_.else_);
}

static bool does_nothing(GroupRun *r, const Block *b) {
    for (int i = 0; i < b->stmts.n; i++)
        if (!is_nothing(r, b->stmts.at[i])) return false;
    return true;
}

static void run_boxes(const Cuts *c, const Part *part, Box *box, int axis) {
    GroupRun *r = c->r;
    if (axis == r->n) {
        bool any = false;
        for (int i = 0; i < part->items.n && !any; i++) any = !is_nothing(r, part->items.at[i]);
        if (any) group_run_items(r, part);
        return;
    }
    for (int i = 0; i <= c->n[axis]; i++) {
        box->lo[axis] = i ? c->at[axis][i - 1] : 0;
        box->hi[axis] = i < c->n[axis] ? c->at[axis][i] : r->group->by[axis];
        run_boxes(c, part, box, axis + 1);
    }
}

void group_run_split(GroupRun *r, const Part *part) {
    Cuts c = {.r = r};
    Box box;
    for (int i = 0; i < part->items.n; i++) stmt_find(part->items.at[i], find_cut, &c);
    int boxes = 1;
    for (int d = 0; d < r->n; d++) boxes *= c.n[d] + 1;
    if (c.too_many || boxes > MOST_BOXES || !cg_allows(r->f->cg, GROUP_NARROW)) {
        group_run_items(r, part);
        return;
    }
    r->box = &box;
    run_boxes(&c, part, &box, 0);
    r->box = NULL;
}
