/* together.c -- launches that together write every element of an array: one for the even and one for the odd rows, one
 * for each column in a loop. Each writes a part of the array and reads none of it. From the first of them on, the old
 * elements are not needed, so none of the launches copies the array to the device.
 *
 * The must-write region (written.h) of the statements that follow one another in a block is compared with the array's
 * box of elements: from a statement with such a launch on, until something else is done with the array or a statement
 * leaves the block. Host variables whose values are not quasi-affine are parameters of the sets, as are the extents of
 * an array that is given others elsewhere. */
#include "parser/children.h"
#include "sema/flow.h"
#include "sema/memo.h"
#include "sema/written.h"

enum {
    MAX_CALLS = 500,          /* looked into for one function */
    MAX_OPERATIONS = 1000000, /* of isl, for one function */
};

typedef struct Region {
    const Symbol *array;
    bool has_part;  /* a launch writes a part */
    bool has_other; /* something else is done with the array */
} Region;

typedef struct Search {
    Sema *s;
    ArrayFlow *flow;
    Written at;
    Vec(const Symbol *) arrays; /* of which launches write parts */
    isl_pw_aff *extent[MAX_RANK]; /* of the array in at.array */
} Search;

/* Launches --------------------------------------------------------------------------------------------------------- */

typedef enum Part { PART_OTHER, PART_WHOLE, PART_SOME } Part;

/* What a launch does with an argument that is an array as a whole. */
static Part part_of(const Expr *launch, const Func *kernel, int param) {
    Transfer t = kernel->transfers.at[param];
    if (launch->offload.device || !(t & TRANSFER_FROM) || t == TRANSFER_UNUSED) return PART_OTHER;
    if (!(t & TRANSFER_TO)) return PART_WHOLE;
    return kernel->facts->uses && !(kernel->facts->uses[param] & USE_READS) ? PART_SOME : PART_OTHER;
}

static void look_expr(Expr *e, Region *r);

static void look_launch(Expr *e, Region *r) {
    const Expr *call = e->offload.call;
    for (int i = 0; i < call->call.args.n; i++) {
        Expr *x = call->call.args.at[i].value;
        if (expr_whole_array(x) != r->array) {
            look_expr(x, r);
            continue;
        }
        for (int d = 0; x->kind == EXPR_INDEX && d < x->index.at.n; d++) look_expr(x->index.at.at[d], r);
        Part part = part_of(e, call->call.info->func, i);
        r->has_other |= part == PART_OTHER;
        r->has_part |= part == PART_SOME;
    }
    if (e->offload.device) look_expr(e->offload.device, r);
}

/* len(x), shape(x, d) read no element. */
static bool is_measured(const Expr *e) {
    const CallInfo *info = e->kind == EXPR_CALL ? e->call.info : NULL;
    return info && info->kind == CALL_BUILTIN && (info->builtin == BUILTIN_LEN || info->builtin == BUILTIN_SHAPE);
}

static void look_expr(Expr *e, Region *r) {
    if (e->kind == EXPR_OFFLOAD) {
        look_launch(e, r);
        return;
    }
    if (is_measured(e)) return;
    r->has_other |= e->kind == EXPR_NAME && e->name.sym == r->array;
    Children all = expr_children(e);
    for (Expr *x; (x = child_expr(&all));) look_expr(x, r);
}

static void look(const Stmt *st, Region *r) {
    Children all = stmt_children(st);
    for (Expr *x; (x = child_expr(&all));) look_expr(x, r);
    for (Stmt *x; (x = child_stmt(&all));) look(x, r);
}

/* Extents ---------------------------------------------------------------------------------------------------------- */

/* An array that is only swapped with arrays of the same extents keeps them. */
typedef struct Circle {
    bool *is_in; /* by slot */
    int n;
} Circle;

static bool add_slot(Circle *c, int slot) {
    if (slot < 0 || c->is_in[slot]) return false;
    c->n++;
    return c->is_in[slot] = true;
}

static bool find_circle(const ArrayFlow *flow, Circle *c) {
    bool grew = false;
    for (int i = 0; i < flow->blocks.n; i++)
        for (int k = 0; k < flow->blocks.at[i]->events.n; k++) {
            const Event *e = &flow->blocks.at[i]->events.at[k];
            if (e->kind != EVENT_SWAP) continue;
            if (c->is_in[e->slot] && e->other < 0) return false; /* with something that is no variable */
            if (e->other >= 0 && (c->is_in[e->slot] || c->is_in[e->other]))
                grew |= add_slot(c, e->slot) | add_slot(c, e->other);
        }
    return !grew || find_circle(flow, c);
}

/* Nothing but swaps gives a variable of the circle another array than it was declared with. */
static bool is_closed(const ArrayFlow *flow, const Circle *c) {
    int n_made = 0, n_declared = 0;
    for (int i = 0; i < flow->n_slots; i++) n_declared += c->is_in[i] && flow->symbol[i]->kind == SYM_LOCAL;
    for (int i = 0; i < flow->blocks.n; i++)
        for (int k = 0; k < flow->blocks.at[i]->events.n; k++) {
            const Event *e = &flow->blocks.at[i]->events.at[k];
            bool is_here = c->is_in[e->slot], is_there = e->other >= 0 && c->is_in[e->other];
            if (e->kind == EVENT_MOVE && (is_here || is_there)) return false;
            if (is_here && e->kind == EVENT_PASS && use_of_pass(e) & USE_REPLACES) return false;
            n_made += is_here && e->kind == EVENT_MAKE;
        }
    return n_made <= n_declared;
}

static isl_pw_aff *declared_extent(Search *f, const Symbol *array, int d) {
    QuasiFrame *at = &f->at.quasi;
    if (array->kind == SYM_PARAM) return quasi_extent(at, &at->f->shapes.at[array->dim].at[d]);
    Dim dims[MAX_RANK] = {0};
    if (array->init) dims_of_array(array->init, dims);
    return quasi_dim(at, &dims[d]);
}

/* NULL: not known */
static isl_pw_aff *extent_of_circle(Search *f, const Circle *c, int slot, int d) {
    isl_pw_aff *extent = declared_extent(f, f->flow->symbol[slot], d);
    for (int i = 0; i < f->flow->n_slots && extent; i++) {
        if (!c->is_in[i]) continue;
        isl_pw_aff *other = declared_extent(f, f->flow->symbol[i], d);
        if (!other || isl_pw_aff_is_equal(extent, other) != isl_bool_true) extent = isl_pw_aff_free(extent);
        isl_pw_aff_free(other);
    }
    return extent;
}

static isl_pw_aff *lasting_extent(Search *f, const Symbol *array, int d) {
    isl_pw_aff *extent = quasi_array_extent(&f->at.quasi, array, d);
    int slot = f->flow->slot_of[array->id];
    if (extent || slot < 0) return extent;
    Circle c = {.is_in = arena_array(f->at.quasi.q->arena, bool, f->flow->n_slots + 1)};
    add_slot(&c, slot);
    if (find_circle(f->flow, &c) && is_closed(f->flow, &c)) extent = extent_of_circle(f, &c, slot, d);
    return extent;
}

/* Regions ---------------------------------------------------------------------------------------------------------- */

/* The extents stay as they are in a region, also those of an array that is given others elsewhere. */
static isl_set *begin_array(Search *f, const Symbol *array, isl_set *states) {
    states = isl_set_copy(states);
    f->at.array = array;
    f->at.rank = array->type->rank;
    for (int d = 0; d < f->at.rank; d++) {
        f->extent[d] = lasting_extent(f, array, d);
        if (!f->extent[d]) f->extent[d] = quasi_variable(f->at.quasi.q, array);
        states = isl_set_intersect(states, quasi_is_size(f->extent[d]));
    }
    f->at.quasi.sized = array;
    f->at.quasi.extent = f->extent;
    return states;
}

static void end_array(Search *f) {
    f->at.quasi.sized = NULL;
    for (int d = 0; d < f->at.rank; d++) isl_pw_aff_free(f->extent[d]);
}

static bool is_whole(Search *f, isl_set *written, isl_set *states) {
    isl_set *all = isl_set_intersect_params(written_box(&f->at), isl_set_params(isl_set_copy(states)));
    bool is = isl_set_is_subset(all, written) == isl_bool_true;
    isl_set_free(all);
    return is;
}

/* The last statement of a region that begins with statement `from`; -1: the array is not whole then. */
static int find_end(Search *f, const Block *b, int from, const Symbol *array, isl_set *states) {
    states = begin_array(f, array, states);
    isl_set *written = isl_set_empty(written_elements(&f->at));
    int end = -1;
    for (int i = from; i < b->stmts.n; i++) {
        const Stmt *st = b->stmts.at[i];
        Region r = {.array = array};
        look(st, &r);
        if (r.has_other || (i == from && !r.has_part) || stmt_holds(st, STMTS_LEAVE)) break;
        if (end < 0) written = isl_set_union(written, written_by_stmt(&f->at, st, states));
        if (end >= 0 || is_whole(f, written, states)) end = i;
    }
    isl_set_free(written);
    isl_set_free(states);
    end_array(f);
    return end;
}

static bool is_in(const Expr *launch, const Block *b, int from, int to) {
    Span first = b->stmts.at[from]->span, last = b->stmts.at[to]->span;
    return launch->span.lo >= first.lo && launch->span.hi <= last.hi;
}

static void mark(Search *f, const Symbol *array, const Block *b, int from, int to) {
    for (int i = 0; i < f->flow->blocks.n; i++) {
        FlowBlock *block = f->flow->blocks.at[i];
        for (int k = 0; k < block->events.n; k++) {
            Event *e = &block->events.at[k];
            if (e->kind != EVENT_PASS || !e->launch || f->flow->symbol[e->slot] != array) continue;
            e->is_together |= is_in(e->launch, b, from, to);
        }
    }
}

/* Functions -------------------------------------------------------------------------------------------------------- */

static void search(Search *f, const Block *b, isl_set *states);

/* A host variable of which nothing is known but its type. */
static isl_set *bind_unknown(Search *f, const Symbol *sym, isl_set *states) {
    isl_pw_aff *v = quasi_variable(f->at.quasi.q, sym);
    states = isl_set_intersect(states, quasi_in_type(v, sym->type));
    quasi_bind(&f->at.quasi, sym, v);
    return states;
}

static isl_set *bind_let(Search *f, const Stmt *st, isl_set *states) {
    const Symbol *sym = st->let.sym;
    if (!sym || st->let.is_var || !st->let.init || !sym->type->is_int) return states;
    isl_pw_aff *v = quasi_int(&f->at.quasi, st->let.init, states);
    if (!v) return bind_unknown(f, sym, states);
    quasi_bind(&f->at.quasi, sym, v);
    return states;
}

static void search_loop(Search *f, const Stmt *st, isl_set *states) {
    const Symbol *sym = st->for_.binder.sym;
    isl_set *inside = isl_set_copy(states);
    if (sym && sym->type->is_int) {
        inside = bind_unknown(f, sym, inside);
        isl_set *range = quasi_range(&f->at.quasi, &st->for_.binder.range, f->at.quasi.value[sym->id], inside);
        if (range) inside = isl_set_intersect(inside, range);
    }
    search(f, st->for_.body, inside);
    isl_set_free(inside);
}

static void search_if(Search *f, const Stmt *st, isl_set *states) {
    isl_set *c = quasi_bool(&f->at.quasi, st->if_.cond, states);
    isl_set *yes = isl_set_copy(states), *no = isl_set_copy(states);
    if (c) yes = isl_set_intersect(yes, isl_set_copy(c)), no = isl_set_subtract(no, c);
    search(f, st->if_.then_, yes);
    if (st->if_.else_ && st->if_.else_->kind == STMT_IF) search_if(f, st->if_.else_, no);
    if (st->if_.else_ && st->if_.else_->kind == STMT_BLOCK) search(f, st->if_.else_->block.block, no);
    isl_set_free(yes);
    isl_set_free(no);
}

static void search_inside(Search *f, const Stmt *st, isl_set *states) {
    if (st->kind == STMT_FOR) search_loop(f, st, states);
    if (st->kind == STMT_WHILE) search(f, st->while_.body, states);
    if (st->kind == STMT_IF) search_if(f, st, states);
    if (st->kind == STMT_BLOCK || st->kind == STMT_RESIDENT) search(f, st->block.block, states);
}

static void search(Search *f, const Block *b, isl_set *states) {
    states = isl_set_copy(states);
    for (int i = 0; i < b->stmts.n; i++) {
        bool found = false;
        for (int k = 0; k < f->arrays.n; k++) {
            int end = find_end(f, b, i, f->arrays.at[k], states);
            if (end >= 0) mark(f, f->arrays.at[k], b, i, end);
            found |= end >= 0;
        }
        const Stmt *st = b->stmts.at[i];
        if (st->kind == STMT_LET) states = bind_let(f, st, states);
        else if (!found || f->arrays.n > 1) search_inside(f, st, states);
    }
    isl_set_free(states);
}

static void add_array(Search *f, const Event *e) {
    const Symbol *array = f->flow->symbol[e->slot];
    if (expr_whole_array(e->arg->value) != array || array->part_of || array->type->kind != TY_ARRAY) return;
    if (part_of(e->launch, e->call->func, e->param) != PART_SOME) return;
    for (int i = 0; i < f->arrays.n; i++)
        if (f->arrays.at[i] == array) return;
    vec_push(f->s->arena, &f->arrays, array);
}

/* For the memo: a letter for each argument of a launch that is an array, in the order of the blocks. */
static const char *marks_of(Sema *s, const ArrayFlow *flow) {
    Buf marks = {0};
    for (int i = 0; i < flow->blocks.n; i++)
        for (int k = 0; k < flow->blocks.at[i]->events.n; k++) {
            const Event *e = &flow->blocks.at[i]->events.at[k];
            if (e->kind == EVENT_PASS && e->launch) buf_putc(&marks, e->is_together ? 'y' : 'n');
        }
    const char *text = arena_strndup(s->arena, marks.n ? marks.at : "", marks.n);
    buf_free(&marks);
    return text;
}

static void set_marks(ArrayFlow *flow, const char *marks) {
    for (int i = 0; i < flow->blocks.n; i++)
        for (int k = 0; k < flow->blocks.at[i]->events.n; k++) {
            Event *e = &flow->blocks.at[i]->events.at[k];
            if (e->kind == EVENT_PASS && e->launch && *marks) e->is_together = *marks++ == 'y';
        }
}

void together_find(Sema *s, ArrayFlow *flow) {
    const Func *func = flow->func;
    Search f = {.s = s, .flow = flow};
    for (int i = 0; i < flow->blocks.n; i++)
        for (int k = 0; k < flow->blocks.at[i]->events.n; k++) {
            const Event *e = &flow->blocks.at[i]->events.at[k];
            if (e->kind == EVENT_PASS && e->launch) add_array(&f, e);
        }
    if (!f.arrays.n || func->is_input) return; /* the next input would see what a failed one has left out */
    const char *known = memo_find(s, func, "together", 0);
    if (known) {
        set_marks(flow, known);
        return;
    }
    int calls = MAX_CALLS;
    const Func *writer = NULL;
    const Expr *unclear = NULL;
    Arena own = {0};
    Quasi q = quasi_begin(&own, MAX_OPERATIONS);
    f.at = (Written){.quasi = quasi_frame(&q, func), .calls = &calls, .writer = &writer, .unclear = &unclear};
    isl_set *states = quasi_bind_parameters(&f.at.quasi);
    search(&f, func->item->fn.body, states);
    isl_set_free(states);
    quasi_frame_end(&f.at.quasi);
    quasi_end(&q);
    arena_free(&own);
    memo_add(s, func, "together", 0, marks_of(s, flow));
}
