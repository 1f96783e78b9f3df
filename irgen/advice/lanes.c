/* lanes.c -- do all lanes of a warp have the same value? A congruence analysis (Granger, "Static analysis of
 * arithmetical congruences", 1989) of values as a * lane + u, where the lanes of a warp are 0 to 31 and u is the same
 * in all of them, with u = r modulo m: the position i in a domain that begins at 0 is lane + u with u = 0 modulo 32,
 * so that `i / 32` and `i % 64 < 32` are the same in the whole warp. Values narrower than an index are taken not to
 * wrap. */
#include "irgen/advice/advice.h"

enum { LAST = WARP - 1 };

typedef struct Lanes {
    bool known;
    int64_t a, m, r; /* m = 0: u is r; m = 1: u is any value; else 0 <= r < m */
} Lanes;

static const int64_t LARGE = (int64_t)1 << 30; /* beyond it nothing is known, so that nothing here overflows */
static const Lanes UNKNOWN = {0}, SAME = {true, 0, 1, 0};

static int64_t modulo(int64_t v, int64_t m) { return (v % m + m) % m; }

static int64_t gcd(int64_t a, int64_t b) {
    a = a < 0 ? -a : a;
    b = b < 0 ? -b : b;
    for (int64_t t; b; b = t) t = a % b, a = b;
    return a;
}

static Lanes lanes(int64_t a, int64_t m, int64_t r) {
    bool fits = a > -LARGE && a < LARGE && m < LARGE && r > -LARGE && r < LARGE;
    return fits ? (Lanes){true, a, m, m ? modulo(r, m) : r} : a ? UNKNOWN : SAME;
}

static bool is_constant(Lanes v) { return v.known && !v.a && !v.m; }

/* Does u + a * lane, in the lanes of a warp, stay within one block of g numbers? g divides m, or m is 0. */
static bool stays(Lanes v, int64_t g) {
    int64_t r = modulo(v.r, g);
    return g > 0 && r + v.a * LAST < g && r + v.a * LAST >= 0;
}

static Lanes sum(Lanes x, Lanes y, int sign) {
    return lanes(x.a + sign * y.a, gcd(x.m, y.m), x.r + sign * y.r);
}

static Lanes product(Lanes x, Lanes y) {
    if (is_constant(x)) return product(y, x);
    if (!is_constant(y)) return x.a || y.a ? UNKNOWN : SAME;
    return lanes(x.a * y.r, x.m * (y.r < 0 ? -y.r : y.r), x.r * y.r);
}

/* Of positions, which are not negative. */
static Lanes quotient(Lanes x, int64_t by) {
    if (by <= 0) return x.a ? UNKNOWN : SAME;
    if (is_constant(x)) return lanes(0, 0, x.r / by);
    return !x.a || stays(x, gcd(x.m, by)) ? SAME : UNKNOWN;
}

static Lanes remainder_by(Lanes x, int64_t by) {
    int64_t g = by > 0 ? gcd(x.m, by) : 0;
    if (by <= 0 || (x.a && !stays(x, g))) return x.a ? UNKNOWN : SAME;
    return x.m ? lanes(x.a, g, x.r) : lanes(x.a, 0, modulo(x.r, by));
}

/* The bits of a mask: those below the block that the lanes stay in are of the lanes, the others the same in all. */
static Lanes masked(Lanes x, int64_t mask) {
    int64_t block = x.m & -x.m; /* the largest power of two that divides m */
    if (mask >= 0 && !(mask & (mask + 1))) return remainder_by(x, mask + 1);
    return !x.a || (mask >= 0 && block && !(mask & (block - 1)) && stays(x, block)) ? SAME : UNKNOWN;
}

static Lanes rule_add(Lanes x, Lanes y) { return sum(x, y, 1); }
static Lanes rule_sub(Lanes x, Lanes y) { return sum(x, y, -1); }
static Lanes rule_div(Lanes x, Lanes y) { return is_constant(y) ? quotient(x, y.r) : UNKNOWN; }
static Lanes rule_rem(Lanes x, Lanes y) { return is_constant(y) ? remainder_by(x, y.r) : UNKNOWN; }
static Lanes rule_and(Lanes x, Lanes y) {
    return is_constant(y) ? masked(x, y.r) : is_constant(x) ? masked(y, x.r) : UNKNOWN;
}

static bool is_shift(Lanes y) { return is_constant(y) && y.r >= 0 && y.r < 30; }
static Lanes rule_shl(Lanes x, Lanes y) { return is_shift(y) ? product(x, lanes(0, 0, (int64_t)1 << y.r)) : UNKNOWN; }
static Lanes rule_shr(Lanes x, Lanes y) { return is_shift(y) ? quotient(x, (int64_t)1 << y.r) : UNKNOWN; }

static Lanes (*const rules[OP__COUNT])(Lanes x, Lanes y) = {
    [OP_ADD] = rule_add, [OP_SUB] = rule_sub, [OP_MUL] = product,  [OP_DIV] = rule_div,
    [OP_REM] = rule_rem, [OP_SHL] = rule_shl, [OP_SHR] = rule_shr, [OP_BIT_AND] = rule_and,
};

static Lanes lanes_of(const LaneView *v, const Expr *e);

static Lanes binary(const LaneView *v, const Expr *e) {
    Lanes x = lanes_of(v, e->binary.lhs), y = lanes_of(v, e->binary.rhs);
    if (!x.known || !y.known) return UNKNOWN;
    return !x.a && !y.a && !(is_constant(x) && is_constant(y)) ? SAME
           : rules[e->binary.op]                               ? rules[e->binary.op](x, y)
                                                               : UNKNOWN;
}

/* The position in the domain along its last axis, or in the group. */
static bool is_position(const LaneView *v, const Symbol *sym, int64_t *first) {
    int last = v->kernel->domain.n - 1;
    const Expr *lo = v->kernel->item->fn.over.at[last].range.lo;
    *first = 0;
    if (sym == v->kernel->group.local[last]) return true;
    *first = !lo ? 0 : lo->konst.kind == CONST_INT ? lo->konst.i : -1;
    return sym == v->kernel->domain.at[last] && *first >= 0;
}

static Lanes lanes_of(const LaneView *v, const Expr *e) {
    int64_t first;
    e = expr_strip((Expr *)e);
    if (e->konst.kind == CONST_INT) return lanes(0, 0, e->konst.i);
    if (rate_of(v->along, (Expr *)e).kind == RATE_UNIFORM) return SAME;
    const Symbol *sym = e->kind == EXPR_NAME ? e->name.sym : NULL;
    if (sym && is_position(v, sym, &first)) return lanes(1, WARP, first);
    if (sym && sym->init && !sym->is_mutable) return lanes_of(v, sym->init);
    return e->kind == EXPR_BINARY && op_info[e->binary.op].kind <= OPK_ROTATE ? binary(v, e) : UNKNOWN;
}

/* d < 0 in all lanes or in none, where d does not become less from lane to lane. */
static bool is_negative_alike(Lanes d) { return d.known && (d.m ? stays(d, d.m) : d.r >= 0 || d.r + d.a * LAST < 0); }

static bool is_less_alike(Lanes x, Lanes y) {
    static const Lanes one = {true, 0, 0, 1};
    Lanes d = sum(x, y, -1);
    return d.known && is_negative_alike(d.a < 0 ? sum(sum(y, x, -1), one, -1) : d); /* x < y: not y - x - 1 < 0 */
}

static bool compares_alike(const LaneView *v, const Expr *e) {
    Lanes x = lanes_of(v, e->binary.lhs), y = lanes_of(v, e->binary.rhs);
    if (!x.known || !y.known) return false;
    if (x.a == y.a) return true;
    Op op = e->binary.op;
    return op == OP_LT || op == OP_GE   ? is_less_alike(x, y)
           : op == OP_GT || op == OP_LE ? is_less_alike(y, x)
                                        : false;
}

bool lanes_agree(const LaneView *v, const Expr *e) {
    e = expr_strip((Expr *)e);
    if (v->kernel->domain.n == 0 || v->threads % WARP) return false;
    if (rate_of(v->along, (Expr *)e).kind == RATE_UNIFORM) return true;
    const Symbol *sym = e->kind == EXPR_NAME ? e->name.sym : NULL;
    if (sym && sym->type->kind == TY_BOOL && sym->init && !sym->is_mutable) return lanes_agree(v, sym->init);
    if (e->kind == EXPR_UNARY && e->unary.op == OP_NOT) return lanes_agree(v, e->unary.operand);
    if (e->kind == EXPR_BINARY && op_info[e->binary.op].kind == OPK_LOGIC)
        return lanes_agree(v, e->binary.lhs) && lanes_agree(v, e->binary.rhs);
    if (e->kind == EXPR_BINARY && op_info[e->binary.op].kind == OPK_COMPARE) return compares_alike(v, e);
    Lanes value = lanes_of(v, e);
    return value.known && !value.a;
}
