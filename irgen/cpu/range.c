/* range.c -- the function `range` of a kernel on a CPU, which executes the work items begin..end of the domain,
 * linearised in row-major order. Its innermost loop runs along the fastest axis without a division, so that the loop
 * can be vectorised. The axes are those of the domain in the order of memory (loop interchange, sema/analysis/axes.h);
 * where the work items of a domain with one axis divide their index by a row length, the domain is executed as rows
 * (delinearisation, sema/analysis/flat.h). kernel.c distributes ranges over threads. */
#include "irgen/cpu/cpu.h"

#include <string.h>

#include "sema/analysis/distribute.h"
#include "sema/analysis/flat.h"

static bool is_array(const Symbol *p) { return p->type->kind == TY_ARRAY; }

/* Attributes of private copies: no other thread accesses the cache line, so an element may be kept in a register and
 * stored at any time, also speculatively. */
static void private_attributes(Cg *cg, const Func *fn, LLVMValueRef v, bool apart) {
    for (int i = 0; i < fn->params.n; i++) {
        if (!cg_updates_copy(cg, fn, cg_abi_param(fn, i), apart)) continue;
        cg_param_attr(cg, v, i, "writable", 0);
        cg_param_attr(cg, v, i, "dereferenceable", PRIVATE_ALIGN);
    }
}

/* Names the parameters of `range`; those of the entry are encoded in 64-bit slots. */
static void name_params(const Func *fn, LLVMValueRef v, int first) {
    for (int i = 0; i < fn->params.n + fn->sizes.n; i++) {
        const char *name = i < fn->params.n ? cg_abi_param(fn, i)->name : fn->sizes.at[i - fn->params.n]->name;
        LLVMSetValueName2(LLVMGetParam(v, (unsigned)(first + i)), name, strlen(name));
    }
}

static LLVMValueRef declare_range(Kernel *k, bool apart) {
    Cg *cg = k->cg;
    const Func *fn = k->func;
    int n = 0;
    LLVMTypeRef *params = arena_array(&cg->c->arena, LLVMTypeRef, k->n_values + 3);
    for (int i = 0; i < fn->params.n; i++)
        params[n++] = cg_by_reference(fn, cg_abi_param(fn, i)) ? cg->ptr : cg_type(cg, cg_abi_param(fn, i)->type);
    for (int i = 0; i < fn->sizes.n; i++) params[n++] = cg->i64;
    for (int i = 0; i < cg_extra_values(cg, fn); i++) params[n++] = cg->ptr;
    params[n++] = cg->i64;
    params[n++] = cg->i64;
    if (fn->reduction) params[n++] = cg->ptr;
    k->range_type = LLVMFunctionType(cg->void_, params, (unsigned)n, false);
    const char *name = arena_printf(&cg->c->arena, "kernel.%s%s", fn->symbol, apart ? ".apart" : "");
    LLVMValueRef range = LLVMAddFunction(cg->module, name, k->range_type);
    LLVMSetLinkage(range, LLVMInternalLinkage);
    cg_fn_attr(cg, range, "nounwind");
    cg_fn_attr(cg, range, "noinline"); /* the entry calls it at two sites: do not duplicate it */
    cg_reference_attributes(cg, fn, range, 0);
    private_attributes(cg, fn, range, apart);
    name_params(fn, range, 0);
    for (int i = cg_extra_values(cg, fn); i > 0; i--) cg_param_attr(cg, range, k->n_values - i, "noalias", 0);
    if (!fn->reduction) return range;
    cg_param_attr(cg, range, n - 1, "noalias", 0);
    cg_param_attr(cg, range, n - 1, "nonnull", 0);
    if (!cg_combines_at_once(cg, fn) && !k->in_lanes) {
        cg_param_attr(cg, range, n - 1, "writeonly", 0);
        return range;
    }
    cg_param_attr(cg, range, n - 1, "writable", 0);
    cg_param_attr(cg, range, n - 1, "dereferenceable", (uint64_t)cg_size(fn->result) * (k->in_lanes ? SUM_LANES : 1));
    return range;
}

/* The body --------------------------------------------------------------------------------------------------------- */

/* A part of the body, executed by the items of a strip before the next part is. */
typedef struct Strip {
    const Distribution *cuts;
    LLVMValueRef *kept; /* of each of cuts->values, an element for each item */
    LLVMValueRef begin; /* the strip's first item in the domain */
    int part;
} Strip;

/* The position of `range` in the domain: `at` is the linear index, position[d] the index along each axis, slowest
 * first. */
typedef struct Walk {
    CgFunc *f;
    const Func *fn;
    const int *order;
    const Stmt *loop; /* of each item, that is the fastest axis (loop collapsing); NULL: none is */
    int n_inner;      /* short axes, faster than the fastest long one: loops of each item; axes[n] and on */
    int flattened;     /* so many axes are the fastest one, with the loop: of the innermost the position is set alone */
    const Strip *strip; /* loop fission; NULL: an item executes its whole body */
    bool is_version;  /* for the launches that are in rows, if others are possible */
    bool is_rest;     /* for the launches that are not in rows, since these would be short (delinearisation) */
    Axis axes[MAX_RANK];
    int n;
    LLVMValueRef begin, end, items;
    LLVMValueRef at, position[MAX_RANK]; /* allocas; on the last axis: where the rectangle starts */
} Walk;

/* Items, or rows that are not too long, that are run between two looks whether an item has failed elsewhere.
 * CHECKED_ROWS are whole blocks of 1, 2, 3, 4, 6, 8 and 12 rows. */
enum { CHECKED_ITEMS = 4096, CHECKED_ROWS = 24, LONG_ROW = 1 << 16 };

static LLVMValueRef load64(CgFunc *f, LLVMValueRef at) { return LLVMBuildLoad2(f->b, f->cg->i64, at, ""); }

static LLVMValueRef smaller(CgFunc *f, LLVMValueRef a, LLVMValueRef b) {
    return LLVMBuildSelect(f->b, LLVMBuildICmp(f->b, LLVMIntSLT, a, b, ""), a, b, "");
}

/* The declaration of axis d in the source; both axes of a delinearised domain have the same. */
static const Binder *axis_binder(const Walk *w, int d) {
    if (w->loop && !w->flattened && d == w->n - 1) return &w->loop->for_.binder;
    return &w->fn->item->fn.over.at[w->f->flat.axis ? 0 : w->order[d]];
}

static void set_to(Walk *w, int d, LLVMValueRef v) {
    const Symbol *sym = axis_binder(w, d)->sym;
    w->f->slots[sym->id].value = v;
    cg_debug_value(w->f, sym, v, 0);
}

/* Delinearised: sets the row or the position in the row, from which the domain variable is computed. */
static void set_flat(Walk *w, int d, LLVMValueRef k) {
    CgFlat *flat = &w->f->flat;
    if (d == 0) flat->row = k;
    else flat->at = k;
    if (d == 0) return;
    set_to(w, d, cg_flat_value(w->f, cg_flat_index(w->f, flat->row), flat->axis->axis->type));
}

static const Binder *inner_binder(const Walk *w) {
    if (w->loop) return &w->loop->for_.binder;
    return &w->fn->item->fn.over.at[w->order[w->fn->domain.n - 1]];
}

/* Flattened: an element's place is that of all these variables together. axes[] has those of the source still. */
static void set_flattened(Walk *w, int d, LLVMValueRef k) {
    for (int i = d; i < d + w->flattened - 1; i++) set_to(w, i, cg_axis_at(w->f, &w->axes[i], cg_i64(w->f->cg, 0)).v);
    const Symbol *sym = inner_binder(w)->sym;
    w->f->slots[sym->id].value = k;
    cg_debug_value(w->f, sym, k, 0);
}

static void set_domain_variable(Walk *w, int d, LLVMValueRef k) {
    if (w->flattened && d == w->n - 1) set_flattened(w, d, k);
    else if (w->f->flat.axis) set_flat(w, d, k);
    else set_to(w, d, cg_axis_at(w->f, &w->axes[d], k).v);
}

/* What is added to a position on the fastest axis to get the value of its variable in this row. */
static LLVMValueRef row_origin(Walk *w) {
    CgFlat *flat = &w->f->flat;
    if (!flat->axis) return cg_index_value(w->f, w->axes[w->n - 1].lo);
    return LLVMBuildNSWMul(w->f->b, flat->row, flat->length, "");
}

/* for k in from..to, with metadata for the vectoriser (simd/) */
typedef struct ItemLoop {
    LLVMBasicBlockRef head, done;
    LLVMValueRef counter, k;
} ItemLoop;

static ItemLoop item_loop_begin(CgFunc *f, LLVMValueRef from, LLVMValueRef to, const char *name) {
    ItemLoop l = {.head = cg_block(f, name), .done = cg_block(f, "items.done")};
    LLVMBasicBlockRef body = cg_block(f, "item");
    l.counter = cg_alloca(f, f->cg->i64, "item");
    LLVMBuildStore(f->b, from, l.counter);
    cg_goto(f, l.head);
    cg_enter(f, l.head);
    l.k = load64(f, l.counter);
    LLVMBuildCondBr(f->b, LLVMBuildICmp(f->b, LLVMIntSLT, l.k, to, ""), body, l.done);
    cg_enter(f, body);
    return l;
}

/* Returns the branch back. */
static LLVMValueRef loop_end(CgFunc *f, ItemLoop *l) {
    LLVMValueRef next = LLVMBuildNSWAdd(f->b, load64(f, l->counter), cg_i64(f->cg, 1), "");
    LLVMSetNUW(next, true);
    LLVMBuildStore(f->b, next, l->counter);
    cg_goto(f, l->head);
    LLVMValueRef latch = LLVMGetBasicBlockTerminator(LLVMGetInsertBlock(f->b));
    cg_enter(f, l->done);
    return latch;
}

static LLVMValueRef item_loop_end(CgFunc *f, ItemLoop *l, bool rows) {
    LLVMValueRef latch = loop_end(f, l);
    cg_mark_items(f, latch, rows);
    return latch;
}

/* A rectangle of work items on the last two axes, or a piece of one row: rows row..row_end of the axis before the last,
 * if there is one, and in each of them the items from..to. `first`: number of the rectangle's first item, counted from
 * begin. */
typedef struct Rectangle {
    LLVMValueRef row, row_end, from, to, first;
} Rectangle;

static LLVMValueRef item_number(Walk *w, const Rectangle *r, LLVMValueRef row, LLVMValueRef k) {
    CgFunc *f = w->f;
    LLVMValueRef number = LLVMBuildNSWAdd(f->b, LLVMBuildNSWSub(f->b, k, r->from, ""), r->first, "");
    if (!row) return number;
    LLVMValueRef rows = LLVMBuildNSWSub(f->b, row, r->row, "");
    LLVMValueRef before = LLVMBuildNSWMul(f->b, rows, LLVMBuildNSWSub(f->b, r->to, r->from, ""), "");
    return LLVMBuildNSWAdd(f->b, number, before, "");
}

/* Checks that are hoisted out of the loop over the items need the row to be fixed: then rectangles have one row. */
static bool has_rows(const Walk *w) { return w->n > 1 && !w->fn->loop_checks.n; }

/* The loops of the short axes from d on. A `return` of the source ends a round, as it does an item. */
static void run_inner(Walk *w, int d) {
    CgFunc *f = w->f;
    if (d == w->n + w->n_inner) {
        cg_stmts(f, w->fn->item->fn.body, NULL, NULL);
        return;
    }
    LLVMBasicBlockRef next_item = f->next_item;
    ItemLoop l = item_loop_begin(f, cg_i64(f->cg, 0), w->axes[d].trips, "inner");
    set_to(w, d, cg_axis_at(f, &w->axes[d], l.k).v);
    f->next_item = cg_block(f, "inner.next");
    run_inner(w, d + 1);
    cg_goto(f, f->next_item);
    cg_enter_next(f, f->next_item);
    f->next_item = next_item;
    loop_end(f, &l);
}

/* The item's place in the strip; where the part is a loop, that is the fastest axis, and each iteration has its item's.
 */
static LLVMValueRef place_in_strip(Walk *w, LLVMValueRef row, LLVMValueRef k) {
    CgFunc *f = w->f;
    LLVMValueRef sum = cg_i64(f->cg, 0);
    for (int d = 0; d < w->n - (w->loop ? 1 : 0); d++) {
        LLVMValueRef at = d == w->n - 1 ? k : d == w->n - 2 ? row : load64(f, w->position[d]);
        if (d) sum = LLVMBuildNSWMul(f->b, sum, w->axes[d].trips, "");
        sum = d ? LLVMBuildNSWAdd(f->b, sum, at, "") : at;
    }
    return LLVMBuildNSWSub(f->b, sum, w->strip->begin, "");
}

static void run_part(Walk *w, LLVMValueRef place) {
    CgFunc *f = w->f;
    const Distribution *cuts = w->strip->cuts;
    const DistributedPart *part = &cuts->parts.at[w->strip->part];
    for (int i = 0; i < cuts->values.n; i++) {
        const DistributedValue *value = &cuts->values.at[i];
        if (value->from >= w->strip->part || !(value->in >> w->strip->part & 1)) continue;
        LLVMTypeRef t = cg_type_mem(f->cg, value->sym->type);
        LLVMValueRef at = LLVMBuildInBoundsGEP2(f->b, t, w->strip->kept[i], &place, 1, "");
        f->slots[value->sym->id].addr = cg_alloca(f, t, value->sym->name);
        LLVMBuildStore(f->b, LLVMBuildLoad2(f->b, t, at, ""), f->slots[value->sym->id].addr);
    }
    if (part->loop) {
        cg_stmts(f, part->loop->for_.body, f->next_item, f->next_item);
        return;
    }
    Block body = *w->fn->item->fn.body;
    body.stmts.at += part->first;
    body.stmts.n = part->n;
    cg_stmts(f, &body, NULL, NULL);
    for (int i = 0; i < cuts->values.n; i++) {
        const DistributedValue *value = &cuts->values.at[i];
        bool changes = value->sym->is_mutable && value->in >> w->strip->part & 1;
        if (value->from != w->strip->part && !(changes && value->from < w->strip->part)) continue;
        LLVMTypeRef t = cg_type_mem(f->cg, value->sym->type);
        LLVMValueRef v = LLVMBuildLoad2(f->b, t, f->slots[value->sym->id].addr, "");
        LLVMBuildStore(f->b, v, LLVMBuildInBoundsGEP2(f->b, t, w->strip->kept[i], &place, 1, ""));
    }
}

/* A collapsed loop runs one iteration for each item, after the `let`s that precede the loop. */
static void run_body(Walk *w) {
    Block body = *w->fn->item->fn.body;
    if (w->n_inner) {
        run_inner(w, w->n);
        return;
    }
    if (w->loop) body.stmts.n--;
    cg_stmts(w->f, &body, NULL, NULL);
    if (w->loop) cg_stmts(w->f, w->loop->for_.body, w->f->next_item, w->f->next_item);
}

static bool is_single(const Walk *w) {
    for (int d = 0; d < w->n; d++)
        if (!LLVMIsAConstantInt(w->axes[d].trips) || LLVMConstIntGetZExtValue(w->axes[d].trips) != 1) return false;
    return true;
}

static void run_items(Walk *w, const Rectangle *r) {
    CgFunc *f = w->f;
    bool rows = has_rows(w);
    LLVMValueRef to = r->to;
    ItemLoop row = {0};
    if (rows) row = item_loop_begin(f, r->row, r->row_end, "rows");
    const Binder *fastest = axis_binder(w, w->n - 1);
    CgEarly early = {0};
    if (!rows) {
        LLVMValueRef lo = row_origin(w);
        LLVMValueRef first = LLVMBuildAdd(f->b, lo, r->from, ""), end = LLVMBuildAdd(f->b, lo, to, "");
        early = cg_early_begin(f, &w->fn->loop_checks, fastest->sym, true, first, end);
        if (early.checks) to = LLVMBuildSub(f->b, early.end, lo, "");
    }
    ItemLoop item = item_loop_begin(f, r->from, to, "items");
    f->next_item = cg_block(f, "item.next");
    if (rows) set_domain_variable(w, w->n - 2, row.k);
    set_domain_variable(w, w->n - 1, item.k);
    cg_shadow_item(f);
    bool at_once = cg_combines_at_once(f->cg, w->fn);
    if (at_once) {
        f->item_result = cg_alloca(f, cg_type_mem(f->cg, w->fn->item_result), "item");
        LLVMBuildStore(f->b, cg_neutral(f->cg, w->fn->reduction, w->fn->item_result), f->item_result);
    } else if (w->items) {
        LLVMValueRef number = item_number(w, r, row.k, item.k);
        f->item_result = LLVMBuildInBoundsGEP2(f->b, cg_type_mem(f->cg, w->fn->item_result), w->items, &number, 1, "");
    }
    if (w->strip) run_part(w, place_in_strip(w, row.k, item.k));
    else run_body(w);
    cg_goto(f, f->next_item);
    cg_enter_next(f, f->next_item);
    cg_debug_at(f, fastest->span);
    if (at_once) { /* of all ways to the end of an item in one place */
        cg_combine_item(f, w->items);
        LLVMBasicBlockRef count = cg_block(f, "item.count");
        cg_goto(f, count);
        cg_enter(f, count);
    }
    LLVMValueRef latch = item_loop_end(f, &item, false);
    if (w->is_rest) cg_mark_short_rows(f, latch);
    if (w->is_version) cg_mark_version(f, latch);
    if (is_single(w)) cg_mark_single(f, latch);
    if (rows) item_loop_end(f, &row, true);
    else cg_early_end(f, &early);
}

/* Splits `begin` into a position on each axis; a range executes no other divisions. */
static void walk_start(Walk *w) {
    CgFunc *f = w->f;
    LLVMValueRef rest = w->begin;
    w->at = cg_alloca(f, f->cg->i64, "at");
    LLVMBuildStore(f->b, w->begin, w->at);
    for (int d = w->n; d-- > 0;) {
        LLVMValueRef k = rest, trips = w->axes[d].trips;
        if (d > 0) {
            k = LLVMBuildURem(f->b, rest, trips, "");
            rest = LLVMBuildUDiv(f->b, rest, trips, "");
        }
        w->position[d] = cg_alloca(f, f->cg->i64, "position");
        LLVMBuildStore(f->b, k, w->position[d]);
    }
}

/* Advances by `take` items in each of `rows` rows, with a carry from the last axis outwards. */
static void walk_advance(Walk *w, LLVMValueRef take, LLVMValueRef rows) {
    CgFunc *f = w->f;
    LLVMValueRef carry = take;
    for (int d = w->n; d-- > 0;) {
        LLVMValueRef k = LLVMBuildAdd(f->b, load64(f, w->position[d]), carry, "");
        if (d > 0) {
            LLVMValueRef full = LLVMBuildICmp(f->b, LLVMIntEQ, k, w->axes[d].trips, "");
            k = LLVMBuildSelect(f->b, full, cg_i64(f->cg, 0), k, "");
            LLVMValueRef on = d == w->n - 1 ? rows : cg_i64(f->cg, 1);
            carry = LLVMBuildSelect(f->b, full, on, cg_i64(f->cg, 0), "");
        }
        LLVMBuildStore(f->b, k, w->position[d]);
    }
    LLVMValueRef items = LLVMBuildNSWMul(f->b, take, rows, "");
    LLVMBuildStore(f->b, LLVMBuildNSWAdd(f->b, load64(f, w->at), items, ""), w->at);
}

/* The same for rows of a given number of items. */
static LLVMValueRef checked_rows(CgFunc *f, LLVMValueRef trips) {
    LLVMValueRef rows = LLVMBuildUDiv(f->b, cg_i64(f->cg, CHECKED_ITEMS), trips, ""),
                 least = cg_i64(f->cg, CHECKED_ROWS);
    LLVMValueRef is_short = LLVMBuildICmp(f->b, LLVMIntSLE, trips, cg_i64(f->cg, LONG_ROW), "");
    is_short = LLVMBuildAnd(f->b, is_short, LLVMBuildICmp(f->b, LLVMIntSLT, rows, least, ""), "");
    return LLVMBuildSelect(f->b, is_short, least, rows, "");
}

/* Whole rows that may be taken at once from here: at a row's beginning, to the end of the plane or of the range. */
static LLVMValueRef whole_rows(Walk *w, LLVMValueRef from, LLVMValueRef left) {
    CgFunc *f = w->f;
    LLVMValueRef one = cg_i64(f->cg, 1), trips = w->axes[w->n - 1].trips, row = load64(f, w->position[w->n - 2]);
    LLVMValueRef rows = LLVMBuildUDiv(f->b, left, trips, "");
    if (f->error_slot) rows = smaller(f, rows, checked_rows(f, trips));
    rows = smaller(f, rows, LLVMBuildNSWSub(f->b, w->axes[w->n - 2].trips, row, ""));
    LLVMValueRef is_start = LLVMBuildICmp(f->b, LLVMIntEQ, from, cg_i64(f->cg, 0), "");
    LLVMValueRef any = LLVMBuildAnd(f->b, is_start, LLVMBuildICmp(f->b, LLVMIntSGT, rows, one, ""), "");
    return LLVMBuildSelect(f->b, any, rows, one, "rows");
}

/* Executes begin..end as rectangles: the rest of a row, then as many whole rows as the plane has left, and so on. */
static void run_rectangles(Walk *w) {
    CgFunc *f = w->f;
    LLVMBasicBlockRef head = cg_block(f, "rectangles"), body = cg_block(f, "rectangle"), done = cg_block(f, "done");
    walk_start(w);
    cg_goto(f, head);
    cg_enter(f, head);
    LLVMValueRef at = load64(f, w->at);
    LLVMBuildCondBr(f->b, LLVMBuildICmp(f->b, LLVMIntSLT, at, w->end, ""), body, done);
    cg_enter(f, body);
    if (f->error_slot) cg_stop_if_failed(f);
    LLVMValueRef left = LLVMBuildSub(f->b, w->end, at, ""), from = load64(f, w->position[w->n - 1]);
    LLVMValueRef take = smaller(f, left, LLVMBuildSub(f->b, w->axes[w->n - 1].trips, from, "")),
                 rows = cg_i64(f->cg, 1);
    if (f->error_slot) take = smaller(f, take, cg_i64(f->cg, CHECKED_ITEMS));
    Rectangle r = {
        .from = from, .to = LLVMBuildNSWAdd(f->b, from, take, ""), .first = LLVMBuildSub(f->b, at, w->begin, "")};
    int n_outer = has_rows(w) ? w->n - 2 : w->n - 1;
    for (int d = 0; d < n_outer; d++) set_domain_variable(w, d, load64(f, w->position[d]));
    if (has_rows(w)) {
        rows = whole_rows(w, from, left);
        r.row = load64(f, w->position[w->n - 2]);
        r.row_end = LLVMBuildNSWAdd(f->b, r.row, rows, "");
        LLVMValueRef many = LLVMBuildICmp(f->b, LLVMIntSGT, rows, cg_i64(f->cg, 1), "");
        take = LLVMBuildSelect(f->b, many, w->axes[w->n - 1].trips, take, "");
        r.to = LLVMBuildNSWAdd(f->b, from, take, "");
    }
    run_items(w, &r);
    walk_advance(w, take, rows);
    cg_goto(f, head);
    cg_enter(f, done);
}

static void run_domain(Walk *w) {
    if (w->n > 1 || w->f->error_slot) {
        run_rectangles(w);
        return;
    }
    /* `end` is no more than the domain has; the vectoriser sees what it is a bound of (interior.c). */
    LLVMValueRef to = w->f->cg->vector ? smaller(w->f, w->end, w->axes[0].trips) : w->end;
    Rectangle all = {.from = w->begin, .to = to, .first = cg_i64(w->f->cg, 0)};
    run_items(w, &all);
}

/* Items from `base` on, one for each of the first n sums. */
static LLVMValueRef run_lanes(Walk *w, LLVMValueRef base, LLVMValueRef n) {
    CgFunc *f = w->f;
    Type *type = w->fn->result;
    ItemLoop lane = item_loop_begin(f, cg_i64(f->cg, 0), n, "lanes");
    f->next_item = cg_block(f, "lane.next");
    set_domain_variable(w, 0, LLVMBuildNSWAdd(f->b, base, lane.k, ""));
    cg_shadow_item(f);
    LLVMTypeRef t = cg_type_mem(f->cg, type);
    f->item_result = cg_alloca(f, t, "item");
    LLVMBuildStore(f->b, cg_neutral(f->cg, w->fn->reduction, type), f->item_result);
    run_body(w);
    cg_goto(f, f->next_item);
    cg_enter_next(f, f->next_item);
    cg_debug_at(f, axis_binder(w, 0)->span);
    LLVMValueRef at = LLVMBuildInBoundsGEP2(f->b, t, w->items, &lane.k, 1, "");
    LLVMValueRef old = LLVMBuildLoad2(f->b, t, at, ""), v = LLVMBuildLoad2(f->b, t, f->item_result, "");
    LLVMBuildStore(f->b, cg_join(f, w->fn->reduction, type, old, v), at);
    LLVMBasicBlockRef count = cg_block(f, "lane.count"); /* an item's work ends before it */
    cg_goto(f, count);
    cg_enter(f, count);
    return loop_end(f, &lane);
}

/* As many items as there are sums at a time, in rows of which the vectoriser knows the length; then the rest. */
static void run_in_lanes(Walk *w) {
    CgFunc *f = w->f;
    LLVMValueRef all = cg_i64(f->cg, SUM_LANES), at = cg_alloca(f, f->cg->i64, "at");
    LLVMBasicBlockRef head = cg_block(f, "rows"), row = cg_block(f, "row"), done = cg_block(f, "rows.done");
    LLVMValueRef last = LLVMBuildNSWSub(f->b, w->end, all, "");
    LLVMBuildStore(f->b, w->begin, at);
    cg_goto(f, head);
    cg_enter(f, head);
    LLVMValueRef base = load64(f, at);
    LLVMBuildCondBr(f->b, LLVMBuildICmp(f->b, LLVMIntSLE, base, last, ""), row, done);
    cg_enter(f, row);
    cg_mark_items(f, run_lanes(w, base, all), false);
    LLVMBuildStore(f->b, LLVMBuildNSWAdd(f->b, base, all, ""), at);
    cg_goto(f, head);
    cg_enter(f, done);
    cg_mark_plain(f, run_lanes(w, base, LLVMBuildNSWSub(f->b, w->end, base, "")));
}

/* Executes a delinearised domain (sema/analysis/flat.h) as rows. Linear indices count from where the index variable is
 * 0, and the number of rows is not limited. */
static void run_rows(Walk *w, const FlatAxis *axis) {
    CgFunc *f = w->f;
    LLVMValueRef lo = cg_index_value(f, w->axes[0].lo);
    Walk flat = *w;
    flat.n = 2;
    flat.begin = LLVMBuildNSWAdd(f->b, w->begin, lo, "");
    flat.end = LLVMBuildNSWAdd(f->b, w->end, lo, "");
    flat.axes[0].trips = cg_i64(f->cg, INT64_MAX);
    flat.axes[1].trips = cg_flat_length(f, axis);
    f->flat = (CgFlat){.axis = axis, .length = flat.axes[1].trips};
    run_domain(&flat);
    f->flat = (CgFlat){0};
}

/* Loop collapsing: the iterations of all items form one index space. */
static void run_collapsed(Walk *w, const Stmt *loop) {
    CgFunc *f = w->f;
    Walk all = *w;
    LLVMBasicBlockRef some = cg_block(f, "some"), done = cg_block(f, "collapsed.done");
    Axis *axis = &all.axes[all.n++];
    *axis = cg_axis(f, &loop->for_.binder.range);
    LLVMValueRef trips = cg_axis_trips(f, axis);
    LLVMBuildCondBr(f->b, LLVMBuildICmp(f->b, LLVMIntSGT, trips, cg_i64(f->cg, 0), ""), some, done);
    cg_enter(f, some);
    all.loop = loop;
    all.begin = LLVMBuildNSWMul(f->b, w->begin, trips, "");
    all.end = LLVMBuildNSWMul(f->b, w->end, trips, "");
    run_domain(&all);
    cg_goto(f, done);
    cg_enter(f, done);
}

static void run_strips(Walk *w, const Distribution *cuts) {
    CgFunc *f = w->f;
    LLVMValueRef next = cg_alloca(f, f->cg->i64, "strip"), *kept;
    LLVMBasicBlockRef head = cg_block(f, "strips"), body = cg_block(f, "strip"), done = cg_block(f, "strips.done");
    kept = arena_array(&f->cg->c->arena, LLVMValueRef, cuts->values.n);
    for (int i = 0; i < cuts->values.n; i++) {
        const Symbol *sym = cuts->values.at[i].sym;
        kept[i] = cpu_expanded(f, cg_type_mem(f->cg, sym->type), CG_STRIP_ITEMS, sym->name);
    }
    LLVMBuildStore(f->b, w->begin, next);
    cg_goto(f, head);
    cg_enter(f, head);
    LLVMValueRef begin = load64(f, next), end = LLVMBuildNSWAdd(f->b, begin, cg_i64(f->cg, CG_STRIP_ITEMS), "");
    LLVMBuildCondBr(f->b, LLVMBuildICmp(f->b, LLVMIntSLT, begin, w->end, ""), body, done);
    cg_enter(f, body);
    end = smaller(f, end, w->end);
    for (int p = 0; p < cuts->parts.n; p++) {
        Strip strip = {cuts, kept, begin, p};
        Walk part = *w;
        part.strip = &strip;
        part.begin = begin;
        part.end = end;
        if (cuts->parts.at[p].loop) run_collapsed(&part, cuts->parts.at[p].loop);
        else run_domain(&part);
    }
    LLVMBuildStore(f->b, end, next);
    cg_goto(f, head);
    cg_enter(f, done);
}

/* Loop fission: rows of a few iterations are no gain, and their items are executed as they are. */
static void run_distributed(Walk *w, const Distribution *cuts) {
    CgFunc *f = w->f;
    LLVMValueRef many = LLVMConstInt(f->cg->i1, 1, false);
    for (int p = 0; p < cuts->parts.n; p++) {
        if (!cuts->parts.at[p].loop) continue;
        Axis axis = cg_axis(f, &cuts->parts.at[p].loop->for_.binder.range);
        LLVMValueRef trips = cg_axis_trips(f, &axis);
        LLVMValueRef is_long = LLVMBuildICmp(f->b, LLVMIntSGE, trips, cg_i64(f->cg, LEAST_DISTRIBUTED), "");
        many = LLVMBuildAnd(f->b, many, is_long, "");
    }
    if (LLVMIsAConstantInt(many)) { /* constant lengths, which kernel_distributes has found long enough */
        run_strips(w, cuts);
        return;
    }
    LLVMBasicBlockRef strips = cg_block(f, "distributed"), other = cg_block(f, "whole"),
                      done = cg_block(f, "both.done");
    LLVMBuildCondBr(f->b, many, strips, other);
    cg_enter(f, strips);
    run_strips(w, cuts);
    cg_goto(f, done);
    cg_enter(f, other);
    run_domain(w);
    cg_goto(f, done);
    cg_enter(f, done);
}

/* Loop versioning: executes rows if the test at run time finds that legal. */
static void run_flat(Walk *w, const FlatAxis *axis) {
    CgFunc *f = w->f;
    LLVMValueRef legal = cg_flat_is_legal(f, axis);
    if (LLVMIsAConstantInt(legal)) { /* a constant row length, which flat_axis has found long enough */
        run_rows(w, axis);
        return;
    }
    LLVMBasicBlockRef rows = cg_block(f, "flat"), other = cg_block(f, "other"), done = cg_block(f, "flat.done");
    cg_mark_version(f, LLVMBuildCondBr(f->b, legal, rows, other));
    cg_enter(f, rows);
    Walk version = *w;
    version.is_version = true;
    run_rows(&version, axis);
    cg_goto(f, done);
    cg_enter(f, other);
    Walk rest = *w;
    rest.is_rest = true;
    run_domain(&rest);
    cg_goto(f, done);
    cg_enter(f, done);
}

static LLVMValueRef rounded_up(CgFunc *f, LLVMValueRef n, LLVMValueRef by) {
    LLVMValueRef more = LLVMBuildNSWAdd(f->b, n, LLVMBuildNSWSub(f->b, by, cg_i64(f->cg, 1), ""), "");
    return LLVMBuildUDiv(f->b, more, by, "");
}

/* Without the n short axes, whose positions a range that begins or ends within them leaves to the range with the first.
 */
static void run_without_short_axes(Walk *w, int n) {
    Walk outer = *w;
    LLVMValueRef inside = cg_i64(w->f->cg, 1);
    outer.n -= n;
    outer.n_inner = n;
    for (int d = outer.n; d < w->n; d++) inside = LLVMBuildNSWMul(w->f->b, inside, w->axes[d].trips, "");
    outer.begin = rounded_up(w->f, w->begin, inside);
    outer.end = rounded_up(w->f, w->end, inside);
    run_domain(&outer);
}

/* Items of the outermost of these axes are as many times more as the ranges within it are long: begin and end count
 * these, but for a loop's. */
static void run_flattened(Walk *w, int n, const Stmt *loop) {
    CgFunc *f = w->f;
    Walk one = *w;
    one.flattened = n;
    one.loop = loop;
    one.n -= loop ? n - 2 : n - 1;
    LLVMValueRef trips = one.axes[one.n - 1].trips;
    for (int d = one.n; d < w->n; d++) trips = LLVMBuildNSWMul(f->b, trips, one.axes[d].trips, "");
    if (loop) {
        Axis inner = cg_axis(f, &loop->for_.binder.range);
        LLVMValueRef rounds = cg_axis_trips(f, &inner);
        trips = LLVMBuildNSWMul(f->b, trips, rounds, "");
        one.begin = LLVMBuildNSWMul(f->b, w->begin, rounds, "");
        one.end = LLVMBuildNSWMul(f->b, w->end, rounds, "");
    }
    one.axes[one.n - 1].trips = trips;
    run_domain(&one);
}

static void debug_params(CgFunc *f, const Func *fn, LLVMValueRef *values) {
    for (int i = 0; i < fn->params.n; i++) {
        const Symbol *p = cg_abi_param(fn, i);
        if (!cg_by_reference(fn, p)) cg_debug_value(f, p, values[i], p->dim + 1);
        if (!cg_by_reference(fn, p) || !f->debug_scope) continue;
        if (!is_array(p)) {
            cg_debug_reference(f, p, values[i], p->dim + 1);
            continue;
        }
        CgArray *a = &f->slots[p->id].array;
        a->desc = cg_array_desc(f, a);
        cg_debug_variable(f, p, a->desc, p->dim + 1);
    }
    for (int i = 0; i < fn->sizes.n; i++) cg_debug_value(f, fn->sizes.at[i], values[fn->params.n + i], 0);
}

/* Tells the vectoriser how large an output array is: stores to arrays larger than the caches can be non-temporal. */
static void mark_extent(CgFunc *f, const Symbol *p) {
    Cg *cg = f->cg;
    if (!cg->vector || !is_array(p) || p->mode == REF_IN) return;
    LLVMTypeRef params[2] = {cg->ptr, cg->i64}, type = LLVMFunctionType(cg->void_, params, 2, false);
    LLVMValueRef fn = LLVMGetNamedFunction(cg->module, CG_EXTENT), bytes = cg_array_bytes(f, &f->slots[p->id].array);
    if (!fn) fn = LLVMAddFunction(cg->module, CG_EXTENT, type);
    LLVMValueRef args[2] = {f->slots[p->id].array.data, bytes};
    cg_call(f, type, fn, args, 2);
}

static LLVMValueRef emit_range(Kernel *k, bool apart, bool polls) {
    CgFunc f;
    LLVMValueRef range = declare_range(k, apart);
    cpu_tell_axes(k, range);
    LLVMValueRef *values = arena_array(&k->cg->c->arena, LLVMValueRef, k->n_values + 3);
    cg_func_begin(&f, k->cg, k->func, range);
    f.polls = polls;
    cg_debug_function(&f, k->func->name);
    cg_debug_prologue(&f);
    LLVMGetParams(range, values);
    cg_kernel_bind(&f, k->func, values);
    for (int i = 0; i < k->func->params.n; i++) {
        const Symbol *p = k->func->params.at[i];
        f.slots[p->id].is_private = cg_updates_copy(k->cg, k->func, p, apart);
    }
    debug_params(&f, k->func, values);
    cg_debug_at(&f, k->func->name_span);
    Walk w = {.f = &f, .fn = k->func, .order = k->order, .n = k->func->domain.n, .begin = values[k->n_values],
              .end = values[k->n_values + 1], .items = k->func->reduction ? values[k->n_values + 2] : NULL};
    if (cg_extra_values(k->cg, k->func))
        cg_bind_extra(&f, k->func, values + k->n_values - cg_extra_values(k->cg, k->func));
    for (int i = 0; i < k->func->params.n; i++) mark_extent(&f, k->func->params.at[i]);
    if (k->func->group.items) { /* as Target.group_is_loop says */
        cpu_group_range(&f, w.begin, w.end, w.items);
        LLVMBuildRetVoid(f.b);
        return range;
    }
    Axis axes[MAX_RANK];
    cg_domain(&f, k->func, axes);
    for (int d = 0; d < w.n; d++) {
        w.axes[d] = axes[k->order[d]];
        cg_axis_trips(&f, &w.axes[d]);
    }
    if (k->flattened) run_flattened(&w, k->flattened, k->loop);
    else if (k->loop) run_collapsed(&w, k->loop);
    else if (k->distribution) run_distributed(&w, k->distribution);
    else if (k->flat) run_flat(&w, k->flat);
    else if (k->short_axes) run_without_short_axes(&w, k->short_axes);
    else if (k->in_lanes) run_in_lanes(&w);
    else {
        cpu_copy_rows(k, &f);
        run_domain(&w);
    }
    LLVMBuildRetVoid(f.b);
    return range;
}

/* In sessions, loops with trip counts that the launch knows have a second version, for those with long items. */
static LLVMValueRef ranges(Kernel *k, bool apart) {
    bool has_loops = block_holds(k->func->item->fn.body, 1u << STMT_FOR);
    LLVMValueRef range = emit_range(k, apart, false);
    if (!cg_kernels_poll(k->cg)) return range;
    return cpu_strips(k, range, has_loops ? emit_range(k, apart, true) : range);
}

void cpu_kernel_ranges(Kernel *k) {
    cpu_choose_axes(k);
    k->range = ranges(k, false);
    if (cg_may_copy_more(k->cg, k->func)) k->range_apart = ranges(k, true);
}
