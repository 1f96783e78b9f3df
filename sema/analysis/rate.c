/* rate.c -- uniformity (divergence) analysis on the checked tree: how a value changes from one work item to the next
 * along one axis of the domain. Uniform: not at all; linear: by a stride known here; varying: in any other way. A
 * small lattice, a transfer function for each kind of expression, and a fixpoint over the variables of one function,
 * which only goes up. A variable that is assigned in divergent code (under a varying condition, in a loop that some
 * items leave early) is varying. Started with other rates, the same fixpoint finds kernels whose items take different
 * times. */
#include "sema/analysis/rate.h"

#include "parser/children.h"
#include "sema/check.h"

#define UNIFORM ((Rate){.kind = RATE_UNIFORM})
#define VARYING ((Rate){.kind = RATE_VARYING})

static Rate linear(int64_t stride, bool wraps) {
    return stride ? (Rate){.kind = RATE_LINEAR, .wraps = wraps, .stride = stride} : UNIFORM;
}

static Rate varying(Rate a, Rate b) {
    bool loaded = a.why == RATE_LOADED || b.why == RATE_LOADED;
    return (Rate){.kind = RATE_VARYING, .why = loaded ? RATE_LOADED : RATE_COMPUTED};
}

/* Varying, but by a constant difference: the stride, if it is known. */
static Rate steady(int64_t stride) { return (Rate){.kind = RATE_VARYING, .stride = stride, .why = RATE_STEADY}; }

static bool is_steady(Rate r) { return r.kind != RATE_VARYING || r.why == RATE_STEADY; }

static Rate join(Rate a, Rate b) {
    if (a.kind != b.kind || a.stride != b.stride || a.why != b.why) return varying(a, b);
    a.wraps |= b.wraps;
    return a;
}

static Rate any(Rate a, Rate b) { return a.kind == RATE_UNIFORM && b.kind == RATE_UNIFORM ? UNIFORM : varying(a, b); }

static bool known_int(const Const *k) { return k && k->kind == CONST_INT; }

/* Strides are kept modulo 2^64, as the values are. */
static int64_t wrap_mul(int64_t a, int64_t b) { return (int64_t)((uint64_t)a * (uint64_t)b); }

/* Results that are not linear, or whose stride is not known here. */
static Rate uneven_binary(Op op, const Type *t, Rate a, Rate b) {
    bool even = t->is_int && is_steady(a) && is_steady(b);
    if (even && (op == OP_ADD || op == OP_SUB)) {
        bool known = (a.kind == RATE_UNIFORM || a.stride) && (b.kind == RATE_UNIFORM || b.stride);
        int64_t stride = op == OP_ADD ? (int64_t)((uint64_t)a.stride + (uint64_t)b.stride)
                                      : (int64_t)((uint64_t)a.stride - (uint64_t)b.stride);
        return steady(known ? stride : 0);
    }
    if (even && op == OP_MUL && (a.kind == RATE_UNIFORM || b.kind == RATE_UNIFORM)) return steady(0);
    if (even && op == OP_SHL && b.kind == RATE_UNIFORM) return steady(0);
    return varying(a, b);
}

static Rate of_binary(Op op, const Type *t, Rate a, Rate b, const Const *ka, const Const *kb) {
    if (a.kind == RATE_UNIFORM && b.kind == RATE_UNIFORM) return UNIFORM;
    if (a.kind == RATE_VARYING || b.kind == RATE_VARYING || !t->is_int) return uneven_binary(op, t, a, b);
    bool wraps = a.wraps || b.wraps || t->bits < 64;
    if (op == OP_ADD) return linear((int64_t)((uint64_t)a.stride + (uint64_t)b.stride), wraps);
    if (op == OP_SUB) return linear((int64_t)((uint64_t)a.stride - (uint64_t)b.stride), wraps);
    if (op == OP_MUL && known_int(kb)) return linear(wrap_mul(a.stride, kb->i), wraps);
    if (op == OP_MUL && known_int(ka)) return linear(wrap_mul(b.stride, ka->i), wraps);
    if (op == OP_SHL && known_int(kb) && kb->i >= 0 && kb->i < 63)
        return linear(wrap_mul(a.stride, (int64_t)1 << kb->i), wraps);
    return uneven_binary(op, t, a, b);
}

static Rate of_unary(Op op, const Type *t, Rate a) {
    if (op == OP_NEG && t->is_int && a.kind == RATE_LINEAR)
        return linear((int64_t) - (uint64_t)a.stride, a.wraps || t->bits < 64);
    return any(a, UNIFORM);
}

static Rate of_conversion(const Type *to, const Type *from, Rate a) {
    bool ints = to->is_int && from->is_int;
    if (a.kind == RATE_VARYING && a.why == RATE_STEADY && !ints) return VARYING;
    if (a.kind != RATE_LINEAR) return a;
    if (!ints) return VARYING;
    if (to->bits < from->bits) return linear(a.stride, true);
    return a.wraps && to->bits > from->bits ? steady(a.stride) : a;
}

static Rate of_load(Rate at) {
    return at.kind == RATE_UNIFORM ? UNIFORM : (Rate){.kind = RATE_VARYING, .why = RATE_LOADED};
}

/* The pass over a function's body ---------------------------------------------------------------------------------- */

typedef struct RateScan {
    Rates *f;
    bool changed;
    int divergence;              /* the number of divergent conditions around the current statement */
    int loop_divergence;         /* the value of it where the innermost loop's body starts */
    const Stmt *loop;            /* innermost */
    Vec(const Stmt *) divergent; /* loops that some items leave, or in which they skip an iteration, before others do */
    int irregular;               /* the number of those conditions that are not affine in the items' indices */
    Unevenness uneven;           /* some items execute more iterations of a loop than others */
    Unevenness left;             /* some items have returned before, under such conditions */
    int follow;                  /* the depth of calls that are followed for it */
} RateScan;

static Rate scan_expr(RateScan *s, Expr *e);
static void scan_block(RateScan *s, const Block *b);
static void scan_stmt(RateScan *s, Stmt *st);

static RateSlot *slot_of(RateScan *s, const Symbol *sym) { return sym && sym->id >= 0 ? &s->f->slots[sym->id] : NULL; }

static void declare(RateScan *s, const Symbol *sym) {
    RateSlot *slot = slot_of(s, sym);
    if (slot) slot->divergence = s->divergence;
}

static void assign(RateScan *s, const Symbol *sym, Rate r) {
    RateSlot *slot = slot_of(s, sym);
    if (!slot) return;
    /* All items share one variable, so in one step all of them read the same value, as with an element of an array. */
    if (s->f->func->is_kernel && sym->kind == SYM_PARAM && sym->mode != REF_NONE) return;
    if (s->divergence > slot->divergence) r = varying(r, r);
    Rate joined = slot->known ? join(slot->rate, r) : r;
    bool same = joined.kind == slot->rate.kind && joined.stride == slot->rate.stride && joined.why == slot->rate.why;
    if (slot->known && same) return;
    slot->rate = joined;
    slot->known = true;
    s->changed = true;
}

static bool loop_diverges(RateScan *s, const Stmt *loop) {
    for (int i = 0; i < s->divergent.n; i++)
        if (s->divergent.at[i] == loop) return true;
    return false;
}

static void mark_loop(RateScan *s, const Stmt *loop) {
    if (!loop || loop_diverges(s, loop)) return;
    vec_push(s->f->arena, &s->divergent, loop);
    s->changed = true;
}

static Rate scan_args(RateScan *s, const ArgList *args) {
    Rate r = UNIFORM;
    for (int i = 0; i < args->n; i++) {
        const Arg *a = &args->at[i];
        r = any(r, scan_expr(s, a->value));
        if (a->mode != REF_MUT && a->mode != REF_OUT) continue;
        /* a scalar passed by &mut: its new value depends on all arguments */
        if (a->value->kind == EXPR_NAME && a->value->type->kind != TY_ARRAY) assign(s, a->value->name.sym, VARYING);
    }
    return r;
}

static void follow_call(RateScan *s, Expr *e);

static Rate scan_call(RateScan *s, Expr *e) {
    const CallInfo *info = e->call.info;
    Rate r = UNIFORM;
    if (info->receiver) r = scan_expr(s, info->receiver);
    r = any(r, scan_args(s, &e->call.args));
    if (s->follow && info->kind == CALL_FUNC && !info->func->is_extern) follow_call(s, e);
    if (info->kind == CALL_CONVERT && e->call.args.n == 1) {
        Expr *operand = e->call.args.at[0].value;
        return of_conversion(e->type, operand->type, scan_expr(s, operand));
    }
    bool extents_only = info->kind == CALL_BUILTIN && (info->builtin == BUILTIN_LEN || info->builtin == BUILTIN_SHAPE);
    return extents_only ? UNIFORM : r;
}

static Rate scan_children(RateScan *s, Children all) {
    Rate r = UNIFORM;
    for (Expr *x; (x = child_expr(&all));) r = any(r, scan_expr(s, x));
    return r;
}

static void scan_binders(RateScan *s, const BinderList *binders) {
    Rate r = UNIFORM;
    for (int i = 0; i < binders->n; i++) {
        r = any(r, scan_children(s, range_children(&binders->at[i].range)));
        declare(s, binders->at[i].sym);
        assign(s, binders->at[i].sym, r);
    }
}

/* An array in a frame belongs to one item; so may a reference parameter of a function called from a kernel. */
static Rate scan_content(RateScan *s, const Expr *base) {
    const Symbol *sym = base->kind == EXPR_NAME ? base->name.sym : NULL;
    if (expr_fixed_field(base)) return any(scan_expr(s, (Expr *)base), UNIFORM);
    if (!sym) return UNIFORM;
    if (frame_facts(sym)->in_frame) return s->f->func->is_kernel ? VARYING : s->f->caller;
    return sym->kind == SYM_PARAM && !s->f->func->is_kernel ? s->f->caller : UNIFORM;
}

static Rate scan_index(RateScan *s, Expr *e) {
    scan_expr(s, e->index.base);
    Rate r = scan_content(s, e->index.base);
    for (int i = 0; i < e->index.at.n; i++) r = any(r, scan_expr(s, e->index.at.at[i]));
    return r;
}

static Rate scan_if(RateScan *s, Expr *e) {
    Rate c = scan_expr(s, e->if_.cond);
    bool diverges = c.kind != RATE_UNIFORM;
    s->divergence += diverges;
    Rate a = scan_expr(s, e->if_.then_), b = scan_expr(s, e->if_.else_);
    s->divergence -= diverges;
    return diverges ? varying(c, any(a, b)) : join(a, b);
}

static Rate scan_expr(RateScan *s, Expr *e) {
    if (e->konst.kind != CONST_NONE) return UNIFORM;
    switch (e->kind) {
    case EXPR_ERROR:
    case EXPR_INT:
    case EXPR_FLOAT:
    case EXPR_BOOL:
    case EXPR_STR: return UNIFORM;
    case EXPR_FIELD: return any(scan_expr(s, e->field.base), UNIFORM);
    case EXPR_NAME: {
        RateSlot *slot = slot_of(s, e->name.sym);
        return slot && slot->known ? slot->rate : UNIFORM;
    }
    case EXPR_UNARY: return of_unary(e->unary.op, e->type, scan_expr(s, e->unary.operand));
    case EXPR_BINARY: {
        Rate a = scan_expr(s, e->binary.lhs);
        bool diverges = op_info[e->binary.op].kind == OPK_LOGIC && a.kind != RATE_UNIFORM;
        s->divergence += diverges;
        Rate b = scan_expr(s, e->binary.rhs);
        s->divergence -= diverges;
        return of_binary(e->binary.op, e->type, a, b, &e->binary.lhs->konst, &e->binary.rhs->konst);
    }
    case EXPR_CALL: return scan_call(s, e);
    case EXPR_INDEX: return of_load(scan_index(s, e));
    case EXPR_IF: return scan_if(s, e);
    case EXPR_COMPREHEND: scan_binders(s, &e->comprehend.binders); return scan_expr(s, e->comprehend.value);
    case EXPR_FILL:
    case EXPR_LIST: return scan_children(s, expr_children(e));
    case EXPR_RANGE: { /* of a slice: how its place moves */
        const Range *r = &e->range.range;
        return any(r->lo ? scan_expr(s, r->lo) : UNIFORM, r->hi ? scan_expr(s, r->hi) : UNIFORM);
    }
    case EXPR_OFFLOAD: return scan_expr(s, e->offload.call);
    case EXPR_ATOMIC:
        scan_expr(s, e->atomic.value);
        if (e->atomic.was) scan_expr(s, e->atomic.was);
        scan_expr(s, e->atomic.target);
        return of_load(VARYING);
    case EXPR_CONVERT: return of_conversion(e->type, e->convert.operand->type, scan_expr(s, e->convert.operand));
    case EXPR__COUNT: break;
    }
    return VARYING;
}

static void scan_assign(RateScan *s, Stmt *st) {
    Expr *target = st->assign.target;
    Rate value = scan_expr(s, st->assign.value);
    Rate old = scan_expr(s, target);
    const Expr *whole = expr_whole(target);
    if (whole->kind == EXPR_INDEX && expr_fixed_field(whole->index.base)) {
        const Expr *of = expr_whole(whole->index.base);
        if (of->kind == EXPR_NAME) assign(s, of->name.sym, VARYING);
    }
    if (whole->kind != EXPR_NAME) return;
    if (whole != target) value = any(value, old); /* the rest of it stays */
    if (st->assign.is_min || st->assign.is_max) value = any(old, value);
    else if (st->assign.op != OP_NONE)
        value = of_binary(st->assign.op, target->type, old, value, NULL, &st->assign.value->konst);
    assign(s, whole->name.sym, value);
}

static void note_uneven(RateScan *s) {
    Unevenness now = s->irregular || s->left == UNEVEN ? UNEVEN : UNEVEN_REGULAR;
    if (now > s->uneven) s->uneven = now;
}

/* The body of a loop, which is divergent code if not all items execute the same iterations. */
static void scan_loop(RateScan *s, const Stmt *st, const Block *body, bool diverges, bool regular) {
    regular = regular && !loop_diverges(s, st);
    diverges = diverges || loop_diverges(s, st);
    const Stmt *loop = s->loop;
    int loop_divergence = s->loop_divergence;
    s->divergence += diverges;
    s->irregular += diverges && !regular;
    if (s->divergence > 0 || s->left) note_uneven(s);
    s->loop = st;
    s->loop_divergence = s->divergence;
    scan_block(s, body);
    s->divergence -= diverges;
    s->irregular -= diverges && !regular;
    s->loop = loop;
    s->loop_divergence = loop_divergence;
}

static void scan_for(RateScan *s, Stmt *st) {
    const Range *r = &st->for_.binder.range;
    Rate lo = r->lo ? scan_expr(s, r->lo) : UNIFORM;
    Rate hi = r->hi ? scan_expr(s, r->hi) : UNIFORM;
    Rate step = r->step ? scan_expr(s, r->step) : UNIFORM;
    declare(s, st->for_.binder.sym);
    if (st->for_.binder.sym != s->f->loop) assign(s, st->for_.binder.sym, step.kind == RATE_UNIFORM ? lo : VARYING);
    Rate all = any(any(lo, hi), step);
    scan_loop(s, st, st->for_.body, all.kind != RATE_UNIFORM, is_steady(lo) && is_steady(hi) && is_steady(step));
}

static bool compares(Op op) { return op == OP_LT || op == OP_LE || op == OP_GT || op == OP_GE; }

/* Comparisons of affine values, joined: as i grows, the items that they hold for change little. */
static bool is_regular(RateScan *s, Expr *cond) {
    if (cond->kind != EXPR_BINARY) return scan_expr(s, cond).kind == RATE_UNIFORM;
    Expr *a = cond->binary.lhs, *b = cond->binary.rhs;
    if (cond->binary.op == OP_AND || cond->binary.op == OP_OR) return is_regular(s, a) && is_regular(s, b);
    return compares(cond->binary.op) && is_steady(scan_expr(s, a)) && is_steady(scan_expr(s, b));
}

static void scan_stmt_if(RateScan *s, Stmt *st) {
    bool diverges = scan_expr(s, st->if_.cond).kind != RATE_UNIFORM;
    bool irregular = diverges && !is_regular(s, st->if_.cond);
    s->divergence += diverges;
    s->irregular += irregular;
    scan_block(s, st->if_.then_);
    if (st->if_.else_) scan_stmt(s, st->if_.else_);
    s->divergence -= diverges;
    s->irregular -= irregular;
}

static void scan_stmt(RateScan *s, Stmt *st) {
    switch (st->kind) {
    case STMT_LET:
        declare(s, st->let.sym);
        if (st->let.init) assign(s, st->let.sym, scan_expr(s, st->let.init));
        break;
    case STMT_ASSIGN: scan_assign(s, st); break;
    case STMT_ATOMIC: scan_expr(s, st->atomic.atomic); break;
    case STMT_EXPR: scan_expr(s, st->expr.expr); break;
    case STMT_IF: scan_stmt_if(s, st); break;
    case STMT_FOR: scan_for(s, st); break;
    case STMT_WHILE:
        scan_loop(s, st, st->while_.body, scan_expr(s, st->while_.cond).kind != RATE_UNIFORM, false);
        break;
    case STMT_BREAK:
    case STMT_CONTINUE:
        if (s->divergence > s->loop_divergence) mark_loop(s, s->loop);
        break;
    case STMT_RETURN:
        if (st->return_.value) scan_expr(s, st->return_.value);
        if (s->loop && s->divergence > 0) s->uneven = UNEVEN;
        if (s->divergence > 0 && s->left != UNEVEN) s->left = s->irregular ? UNEVEN : UNEVEN_REGULAR;
        break;
    case STMT_ASSERT:
        scan_expr(s, st->assert_.cond);
        scan_args(s, &st->assert_.args);
        break;
    case STMT_BLOCK:
    case STMT_RESIDENT: scan_block(s, st->block.block); break;
    case STMT_ERROR:
    case STMT_SHARED:
    case STMT_BARRIER:
    case STMT_WAIT:
    case STMT__COUNT: break;
    }
}

static void scan_block(RateScan *s, const Block *b) {
    for (int i = 0; i < b->stmts.n; i++) scan_stmt(s, b->stmts.at[i]);
}

/* A domain variable's step, when it is known here; 0 when not. */
static int64_t constant_step(const Range *r) {
    if (!r->step) return 1;
    return r->step->konst.kind == CONST_INT ? r->step->konst.i : 0;
}

/* `along`: the axis of the domain along which items are neighbours. */
static void seed(RateScan *s, int along) {
    const Func *fn = s->f->func;
    for (int i = 0; i < fn->params.n; i++) {
        RateSlot *slot = &s->f->slots[fn->params.at[i]->id];
        slot->rate = fn->is_kernel ? UNIFORM : s->f->caller;
        slot->known = true;
    }
    for (int i = 0; i < fn->domain.n; i++) {
        RateSlot *slot = &s->f->slots[fn->domain.at[i]->id];
        int64_t step = constant_step(&fn->item->fn.over.at[i].range);
        slot->rate = i != along ? UNIFORM : step ? linear(step, false) : steady(0);
        slot->known = true;
    }
    for (int i = 0; i < fn->sizes.n; i++) s->f->slots[fn->sizes.at[i]->id].known = true;
    for (int i = 0; i < fn->domain.n && fn->group.items; i++) {
        RateSlot *local = &s->f->slots[fn->group.local[i]->id];
        local->rate = i != along ? UNIFORM : linear(1, false);
        local->known = true;
    }
    if (fn->group.items) s->f->slots[fn->group.inside->id] = (RateSlot){.rate = VARYING, .known = true};
}

static void reach_fixpoint(RateScan *s) {
    do {
        s->changed = false;
        scan_block(s, s->f->func->item->fn.body);
    } while (s->changed);
}

static Rates nothing_known(Arena *arena, const Func *fn) {
    Rates f = {.arena = arena, .func = fn, .caller = VARYING};
    f.slots = arena_array(arena, RateSlot, fn->n_symbols + 1);
    return f;
}

Rates rates_along(Arena *arena, const Func *fn, int axis, const Rate *given) {
    Rates f = nothing_known(arena, fn);
    RateScan s = {.f = &f};
    seed(&s, axis);
    for (int i = 0; given && i < fn->params.n; i++) f.slots[fn->params.at[i]->id].rate = given[i];
    reach_fixpoint(&s);
    return f;
}

Rates rates_along_loop(Arena *arena, const Func *fn, const Symbol *variable) {
    Rates f = nothing_known(arena, fn);
    RateScan s = {.f = &f};
    seed(&s, -1);
    f.loop = variable;
    f.slots[variable->id] = (RateSlot){.rate = linear(1, false), .known = true};
    reach_fixpoint(&s);
    return f;
}

Rate rate_of(const Rates *f, Expr *e) {
    Rates same = *f;
    RateScan s = {.f = &same};
    return scan_expr(&s, e);
}

/* Uneven kernels --------------------------------------------------------------------------------------------------- */

static Unevenness find_uneven(RateScan *s, int depth) {
    reach_fixpoint(s);
    s->follow = depth;
    s->uneven = s->left = EVEN; /* only the last pass, with the final rates, counts */
    scan_block(s, s->f->func->item->fn.body);
    return s->uneven;
}

/* The bounds alone: a row of a matrix is as long as any other. */
static Rate extent_rate(RateScan *s, const Expr *arg) {
    Rate r = UNIFORM;
    for (int d = 0; expr_is_slice(arg) && d < arg->index.at.n; d++)
        if (arg->index.at.at[d]->kind == EXPR_RANGE) r = any(r, scan_expr(s, arg->index.at.at[d]));
    return r;
}

static void follow_call(RateScan *s, Expr *e) {
    const Func *fn = e->call.info->func;
    if (s->uneven == UNEVEN) return;
    Rates f = nothing_known(s->f->arena, fn);
    RateScan inner = {.f = &f};
    for (int i = 0; i < fn->sizes.n; i++) f.slots[fn->sizes.at[i]->id] = (RateSlot){.rate = UNIFORM, .known = true};
    for (int i = 0; i < fn->params.n && i < e->call.args.n; i++) {
        Rate r = scan_expr(s, e->call.args.at[i].value);
        f.slots[fn->params.at[i]->id] = (RateSlot){.rate = r, .known = true};
        Rate extent = extent_rate(s, e->call.args.at[i].value);
        for (int k = 0; k < fn->sizes.n && extent.kind != RATE_UNIFORM; k++)
            f.slots[fn->sizes.at[k]->id].rate = VARYING;
    }
    Unevenness of = find_uneven(&inner, s->follow - 1);
    if (of && s->irregular) of = UNEVEN;
    if (of > s->uneven) s->uneven = of;
}

/* Neighbours are successive groups; positions in the group are the same in all of them. */
static void seed_items(Rates *f) {
    const Func *fn = f->func;
    for (int i = 0; i < fn->domain.n; i++) {
        const Symbol *item = fn->group.items ? fn->group.at[i] : fn->domain.at[i];
        f->slots[fn->domain.at[i]->id] = (RateSlot){.rate = steady(0), .known = true};
        if (item) f->slots[item->id] = (RateSlot){.rate = steady(0), .known = true};
    }
}

Unevenness rates_unevenness(Arena *arena, const Func *kernel) {
    enum { CALLS_DEEP = 3 };
    Rates f = nothing_known(arena, kernel);
    RateScan s = {.f = &f};
    seed_items(&f);
    return find_uneven(&s, CALLS_DEEP);
}
