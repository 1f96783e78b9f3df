/* text.c -- --explain=launch as text: for each kernel its geometry, the resources that it needs of each device and the
 * occupancy, each memory access with its cost for a warp and advice that would reduce it, and the divergent
 * branches. */
#include <stdlib.h>
#include <string.h>

#include "irgen/advice/advice.h"
#include "irgen/advice/text.h"
#include "runtime/geometry.h"

typedef struct Teller {
    Cg *cg;
    Buf *out;
    const LaunchFacts *facts;
    const Func *fn;
    Warp warp;
} Teller;

enum { LABEL = 11, MAX_TEXT = 44 }; /* widths in columns */

static void label(Teller *t, const char *name) { buf_printf(t->out, "  %-*s", LABEL, name); }

/* The source text on one line. */
static const char *source(Teller *t, Span span) {
    Arena *arena = &t->cg->c->arena;
    Place p = cg_place(t->cg, span);
    const char *at = p.file->text + (span.lo + t->cg->base_shift - p.file->base);
    char *text = arena_strndup(arena, at, span.hi - span.lo), *to = text;
    for (const char *s = text; *s; s++)
        if ((unsigned char)*s > ' ') *to++ = *s;
        else if (to > text && to[-1] != ' ') *to++ = ' ';
    *to = '\0';
    return strlen(text) > MAX_TEXT ? arena_printf(arena, "%.*s...", MAX_TEXT - 3, text) : text;
}

/* Geometry --------------------------------------------------------------------------------------------------------- */

static const Binder *binder(const Teller *t, int axis) { return &t->fn->item->fn.over.at[t->facts->n_axes - 1 - axis]; }

static bool is_simple(const char *text) { return strcspn(text, " +-*/<>&|(") == strlen(text); }

static const char *bracketed(Arena *arena, const char *text) {
    return is_simple(text) ? text : arena_printf(arena, "(%s)", text);
}

/* The number of work items along an axis as text; *known: the constant, or 0. */
static const char *trips_text(Teller *t, int axis, int64_t *known) {
    Arena *arena = &t->cg->c->arena;
    const Range *r = &binder(t, axis)->range;
    int64_t step = r->step && r->step->konst.kind == CONST_INT ? r->step->konst.i : r->step ? 0 : 1;
    int64_t lo = r->lo && r->lo->konst.kind == CONST_INT ? r->lo->konst.i : 0;
    bool lo_known = !r->lo || r->lo->konst.kind == CONST_INT;
    *known = lo_known && r->hi->konst.kind == CONST_INT && step > 0 && r->hi->konst.i > lo
                 ? (r->hi->konst.i - lo - 1) / step + 1
                 : 0;
    if (*known) return arena_printf(arena, "%lld", (long long)*known);
    const Expr *hi = expr_strip(r->hi);
    bool minus =
        lo_known && lo && hi->kind == EXPR_BINARY && hi->binary.op == OP_SUB && hi->binary.rhs->konst.kind == CONST_INT;
    const char *n = source(t, r->hi->span);
    if (minus) /* 1..n - 1 */
        n = arena_printf(arena, "%s - %lld", source(t, hi->binary.lhs->span),
                         (long long)(hi->binary.rhs->konst.i + lo));
    else if (!lo_known || lo) n = arena_printf(arena, "%s - %s", n, bracketed(arena, source(t, r->lo->span)));
    if (step != 1) n = arena_printf(arena, "%s / %s", bracketed(arena, n), bracketed(arena, source(t, r->step->span)));
    return n;
}

static void tell_threads(Teller *t) {
    label(t, "threads");
    const LaunchFacts *f = t->facts;
    for (int axis = 0; axis < f->n_axes; axis++)
        buf_printf(t->out, "%s%lld", axis ? " x " : "", (long long)f->threads[axis]);
    buf_puts(t->out, " per block");
    for (int axis = 0; f->n_axes > 1 && axis < f->n_axes; axis++)
        buf_printf(t->out, "%s`%s` along %c", axis ? ", " : ": ", binder(t, axis)->name, "xyz"[axis]);
    if (!t->fn->group.items && !f->fixed)
        buf_puts(t->out, f->n_axes > 1 ? "; different for small domains" : "; fewer for small domains");
    buf_putc(t->out, '\n');
}

static void tell_blocks(Teller *t) {
    Arena *arena = &t->cg->c->arena;
    label(t, "blocks");
    for (int axis = 0; axis < t->facts->n_axes; axis++) {
        int64_t known, threads = t->facts->threads[axis];
        const char *n = trips_text(t, axis, &known);
        buf_puts(t->out, axis ? " x " : "");
        if (known) buf_printf(t->out, "%lld", (long long)((known - 1) / threads + 1));
        else if (threads == 1) buf_puts(t->out, bracketed(arena, n));
        else buf_printf(t->out, "ceil(%s / %lld)", bracketed(arena, n), (long long)threads);
    }
    buf_putc(t->out, '\n');
    label(t, "items");
    if (t->fn->reduction)
        buf_printf(t->out, "1 per thread; several above %d blocks\n", GPU_MAX_PARTS);
    else if (t->facts->n_axes == 1 || t->facts->fixed) buf_puts(t->out, "1 per thread\n");
    else
        buf_printf(t->out, "1 per thread, up to %d blocks along y%s\n", GPU_MAX_YZ,
                   t->facts->n_axes > 2 ? " and along z" : "");
}

/* Includes the memory of a reduction: an accumulator for each thread, and a flag. */
static int64_t shared_bytes(const Teller *t) {
    int64_t items = t->fn->group.items ? t->fn->group.items : GPU_MAX_THREADS;
    int64_t sums = t->fn->reduction ? items * type_size_bytes(t->fn->result) + 4 : 0;
    return t->fn->group.shared_bytes + sums;
}

static void tell_device(Teller *t, const LaunchDevice *device) {
    bool amd = !strcmp(device->target, "amdgpu");
    const char *symbol = off_narrow_symbol(t->cg->c, t->fn->symbol); /* the entry that almost all launches use */
    LaunchResources r = device->said ? resources_read(device->said, symbol, amd) : (LaunchResources){0};
    if (!r.known) r.shared = shared_bytes(t);
    const int64_t *threads = t->facts->threads;
    Occupancy o = occupancy(device->arch, threads[0] * threads[1] * threads[2], &r);
    label(t, device->arch);
    if (!r.known) buf_puts(t->out, "registers unknown: ptxas is not installed");
    else if (amd) buf_printf(t->out, "%d vector and %d scalar registers", r.registers, r.scalars);
    else buf_printf(t->out, "%d registers", r.registers);
    if (r.known && r.spilled) buf_printf(t->out, ", %d bytes spilled", r.spilled);
    else if (r.known) buf_puts(t->out, ", no spills");
    buf_printf(t->out, "\n  %-*s", LABEL, "");
    if (!o.known) buf_printf(t->out, "occupancy unknown\n");
    else
        buf_printf(t->out, "occupancy: %s%d block%s per %s, %d of %d threads (%d %%), limited by %s\n",
                   r.known ? "" : "at most ", o.blocks, o.blocks == 1 ? "" : "s",
                   amd ? "compute unit" : "multiprocessor", o.threads, o.most_threads, 100 * o.threads / o.most_threads,
                   o.limit);
}

/* Memory ----------------------------------------------------------------------------------------------------------- */

typedef struct Row {
    const char *place, *mode, *text, *steps, *cost, *advice;
} Row;

static const char *place_text(Teller *t, const Func *in, Span span) {
    Arena *arena = &t->cg->c->arena;
    Place p = cg_place(t->cg, span), own = cg_place(t->cg, t->fn->name_span);
    if (p.file == own.file) return arena_printf(arena, "%d:%d", p.line, p.col);
    return arena_printf(arena, "%s, %s:%d:%d", in->name, p.file->path, p.line, p.col);
}

static const char *step_text(Arena *arena, const Step *s) {
    if (s->kind == STEP_NONE) return "0";
    return s->kind == STEP_SIZE ? s->text : arena_printf(arena, "%lld", (long long)s->by);
}

static const char *steps_text(Teller *t, const Steps *address) {
    static const char *const formats[] = {"stride %s", "rows %s apart", "planes %s apart"};
    Arena *arena = &t->cg->c->arena;
    const char *text = "";
    int n = 0;
    bool same = true;
    for (int axis = 0; axis < GRID_AXES; axis++) {
        const Step *s = &address->along[axis];
        if (t->warp.across[axis] < 2) continue;
        if (s->kind == STEP_ANY) return s->from_memory ? "index from memory" : "computed index";
        same = same && s->kind == STEP_NONE;
        text = arena_printf(arena, "%s%s", text, n ? ", " : "");
        text = arena_printf(arena, "%s%s", text, arena_printf(arena, formats[n], step_text(arena, s)));
        n++;
    }
    return same ? "same address" : text;
}

static Steps swapped(const Steps *address, int axis) {
    Steps s = *address;
    s.along[0] = address->along[axis];
    s.along[axis] = address->along[0];
    return s;
}

/* Sectors of the access if this axis were the x axis of the grid. */
static int sectors_along(Teller *t, const LaunchAccess *x, int axis) {
    Steps address = launch_address(&t->cg->c->arena, x, 0);
    address = swapped(&address, axis);
    WarpCost c = warp_cost(&t->warp, &address, x->element, x->bytes);
    return c.known ? c.sectors : WARP;
}

static int all_sectors(Teller *t, int axis) {
    int n = 0;
    for (int i = 0; i < t->facts->accesses.n; i++)
        if (t->facts->accesses.at[i].memory == MEMORY_GLOBAL) n += sectors_along(t, &t->facts->accesses.at[i], axis);
    return n;
}

static const char *advise_order(Teller *t, const LaunchAccess *x, int sectors) {
    Arena *arena = &t->cg->c->arena;
    for (int axis = 1; axis < t->facts->n_axes; axis++) {
        int n = sectors_along(t, x, axis);
        if (n >= sectors) continue;
        bool pays = all_sectors(t, axis) < all_sectors(t, 0);
        return arena_printf(arena, "with `%s` as the last variable of the domain: %d%s", binder(t, axis)->name, n,
                            pays ? "" : ", but more elsewhere");
    }
    return NULL;
}

static const char *advise_global(Teller *t, const LaunchAccess *x, const Steps *address, const WarpCost *c) {
    if (c->sectors <= c->least) return NULL;
    const char *order = advise_order(t, x, c->sectors);
    if (order || x->bytes == x->element) return order;
    WarpCost packed = warp_cost(&t->warp, address, x->bytes, x->bytes);
    if (packed.sectors >= c->sectors) return NULL;
    return arena_printf(&t->cg->c->arena, "uses %lld of %lld bytes of each element; with a separate array for each "
                                          "field: %d",
                        (long long)x->bytes, (long long)x->element, packed.sectors);
}

static void tell_global(Teller *t, const LaunchAccess *x, const Steps *address, Row *row) {
    Arena *arena = &t->cg->c->arena;
    WarpCost c = warp_cost(&t->warp, address, x->element, x->bytes);
    if (!c.known)
        row->cost = arena_printf(arena, "1 to %d sectors", WARP * (int)((x->bytes + SECTOR_BYTES - 1) / SECTOR_BYTES));
    else if (c.places == 1 && x->is_atomic) row->cost = "same address: atomic updates are serialised";
    else if (c.places == 1) row->cost = x->writes ? "1 sector: same address" : "1 sector: broadcast";
    else if (c.sectors <= c.least)
        row->cost = c.sectors == 1 ? "1 sector" : arena_printf(arena, "coalesced: %d sectors", c.sectors);
    else row->cost = arena_printf(arena, "not coalesced: %d sectors instead of %d", c.sectors, c.least);
    if (c.known) row->advice = advise_global(t, x, address, &c);
}

static const char *padded_extents(Teller *t, const LaunchAccess *x) {
    Arena *arena = &t->cg->c->arena;
    const char *text = "";
    for (int d = 0; d < x->rank; d++)
        text =
            arena_printf(arena, "%s%s%lld", text, d ? ", " : "", (long long)(x->extent[d].value + (d == x->rank - 1)));
    return text;
}

/* Sum of the conflict degrees of all accesses to an array, if its rows were longer by `padding` elements. */
static int conflicts(Teller *t, const Symbol *array, int64_t padding) {
    int n = 0;
    for (int i = 0; i < t->facts->accesses.n; i++) {
        const LaunchAccess *x = &t->facts->accesses.at[i];
        Steps address = launch_address(&t->cg->c->arena, x, padding);
        WarpCost c = warp_cost(&t->warp, &address, x->element, x->bytes);
        if (x->array == array && c.known) n += c.ways;
    }
    return n;
}

static void tell_shared(Teller *t, const LaunchAccess *x, const Steps *address, Row *row) {
    Arena *arena = &t->cg->c->arena;
    WarpCost c = warp_cost(&t->warp, address, x->element, x->bytes);
    row->steps = arena_printf(arena, "shared, %s", row->steps);
    if (!c.known) row->cost = "bank conflicts depend on the values";
    else if (c.places == 1)
        row->cost = x->is_atomic ? "same address: atomic updates are serialised" : x->writes ? "same "
            "address" : "broadcast";
    else if (c.ways == 1) row->cost = "no bank conflict";
    else row->cost = arena_printf(arena, "%d-way bank conflict", c.ways);
    if (!c.known || c.ways == 1 || x->rank < 2 || conflicts(t, x->array, 1) >= conflicts(t, x->array, 0)) return;
    Steps padded = launch_address(arena, x, 1);
    int ways = warp_cost(&t->warp, &padded, x->element, x->bytes).ways;
    if (ways < c.ways)
        row->advice = arena_printf(arena, "pad by one column, [%s]: %s", padded_extents(t, x),
                                   ways == 1 ? "none" : arena_printf(arena, "%d-way", ways));
}

static Row row_of(Teller *t, const LaunchAccess *x) {
    Arena *arena = &t->cg->c->arena;
    Steps address = launch_address(arena, x, 0);
    Row row = {.place = place_text(t, x->in, x->span), .text = source(t, x->span), .steps = steps_text(t, &address)};
    row.mode = x->is_atomic ? "atomic" : x->reads && x->writes ? "both" : x->writes ? "write" : "read";
    if (x->memory == MEMORY_SHARED) tell_shared(t, x, &address, &row);
    else if (x->memory == MEMORY_GLOBAL) tell_global(t, x, &address, &row);
    else row.steps = "private", row.cost = "registers, or local memory";
    return row;
}

static bool same_row(const Row *a, const Row *b) {
    return !strcmp(a->text, b->text) && !strcmp(a->mode, b->mode) && atoi(a->place) == atoi(b->place) &&
           !strcmp(a->cost, b->cost) && !strcmp(a->steps, b->steps);
}

static int wider(int width, const char *text) { return (int)strlen(text) > width ? (int)strlen(text) : width; }

static void tell_accesses(Teller *t) {
    int n = 0, widths[4] = {0};
    Row *rows = arena_array(&t->cg->c->arena, Row, t->facts->accesses.n + 1);
    for (int i = 0; i < t->facts->accesses.n; i++) {
        rows[n] = row_of(t, &t->facts->accesses.at[i]);
        bool told = false;
        for (int k = 0; k < n && !told; k++) told = same_row(&rows[k], &rows[n]);
        n += !told;
    }
    for (int i = 0; i < n; i++) {
        widths[0] = wider(widths[0], rows[i].place);
        widths[1] = wider(widths[1], rows[i].text);
        widths[2] = wider(widths[2], rows[i].steps);
    }
    label(t, "memory");
    buf_puts(t->out, n ? "accesses of one warp, 32 neighbouring work items\n" : "none\n");
    for (int i = 0; i < n; i++) {
        buf_printf(t->out, "    %*s  %-6s  %-*s  %-*s  %s%s%s\n", widths[0], rows[i].place, rows[i].mode, widths[1],
                   rows[i].text, widths[2], rows[i].steps, rows[i].cost, rows[i].advice ? "; " : "",
                   rows[i].advice ? rows[i].advice : "");
    }
}

static void tell_branches(Teller *t) {
    const LaunchFacts *f = t->facts;
    label(t, "branches");
    buf_puts(t->out, f->branches.n ? "divergent within a warp\n"
                                   : "none is divergent within a warp\n");
    for (int i = 0; i < f->branches.n; i++) {
        const LaunchBranch *b = &f->branches.at[i];
        buf_printf(t->out, "    %s  %s `%s`: ", place_text(t, b->in, b->span), b->is_loop ? "loop" : "if",
                   source(t, b->span));
        if (b->is_loop) buf_puts(t->out, "every work item of the warp waits for the longest trip count");
        else if (b->only_edges) buf_puts(t->out, "only in a warp at the edge of the domain");
        else buf_puts(t->out, "both paths are executed, under masks");
        buf_puts(t->out, b->from_memory ? "; it depends on values from memory\n" : "\n");
    }
    if (f->barriers) buf_printf(t->out, "  %-*s%d in the source\n", LABEL, "barriers", f->barriers);
}

/* Kernels ---------------------------------------------------------------------------------------------------------- */

static void tell_kernel(Teller *t, const LaunchDevice *devices, int n) {
    Place p = cg_place(t->cg, t->fn->name_span);
    const BinderList *over = &t->fn->item->fn.over;
    buf_printf(t->out, "kernel %s, %s:%d: ", t->fn->name, p.file->path, p.line);
    for (int d = 0; d < over->n; d++) {
        const Binder *b = &over->at[d];
        buf_printf(t->out, "%s%s in %s", d ? ", " : "over ", b->name, source(t, b->range.span));
        if (b->by) buf_printf(t->out, " by %s", source(t, b->by->span));
    }
    buf_putc(t->out, '\n');
    tell_threads(t);
    tell_blocks(t);
    if (shared_bytes(t)) buf_printf(t->out, "  %-*s%lld bytes per block\n", LABEL, "shared",
                                    (long long)shared_bytes(t));
    for (int i = 0; i < n; i++) tell_device(t, &devices[i]);
    tell_accesses(t);
    tell_branches(t);
}

void launch_tell(Cg *cg, const LaunchDevice *devices, int n, Buf *out) {
    const Program *p = cg->program;
    bool first = true;
    for (int i = 0; i < p->funcs.n; i++) {
        if (!p->funcs.at[i]->is_kernel) continue;
        LaunchFacts facts = launch_facts(cg, p->funcs.at[i]);
        Teller t = {.cg = cg, .out = out, .facts = &facts, .fn = p->funcs.at[i], .warp = warp_of(facts.threads)};
        if (!first) buf_putc(out, '\n');
        first = false;
        tell_kernel(&t, devices, n);
    }
}
