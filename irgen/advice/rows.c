/* rows.c -- --explain=launch as rows: for each kernel its geometry, the resources that it needs of each device and the
 * occupancy, each memory access with its cost for a warp and advice that would reduce it, and the divergent
 * branches. */
#include <string.h>

#include "irgen/advice/advice.h"
#include "irgen/advice/rows.h"
#include "runtime/geometry.h"

typedef struct Teller {
    Cg *cg;
    LaunchKernel *row;
    const LaunchFacts *facts;
    const Func *fn;
    Warp warp;
} Teller;

enum { MAX_TEXT = 44 }; /* in columns */

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
    if (strlen(text) <= MAX_TEXT) return text;
    char closers[MAX_TEXT];
    int n = 0;
    for (int i = 0; i < MAX_TEXT - 3; i++) { /* brackets that the rest would have closed */
        if (text[i] == '(' || text[i] == '[') closers[n++] = text[i] == '(' ? ')' : ']';
        else if ((text[i] == ')' || text[i] == ']') && n) n--;
    }
    const char *brief = arena_printf(arena, "%.*s...", MAX_TEXT - 3, text);
    while (n) brief = arena_printf(arena, "%s%c", brief, closers[--n]);
    return brief;
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

static void note_threads(Teller *t) {
    const LaunchFacts *f = t->facts;
    t->row->n_axes = f->n_axes;
    for (int axis = 0; axis < f->n_axes; axis++) {
        t->row->threads[axis] = f->threads[axis];
        t->row->axis[axis] = binder(t, axis)->name;
        t->row->warp[axis] = t->warp.across[axis];
    }
    t->row->varies = !t->fn->group.items && !f->fixed;
}

static const char *blocks_text(Teller *t) {
    Arena *arena = &t->cg->c->arena;
    const char *text = "";
    for (int axis = 0; axis < t->facts->n_axes; axis++) {
        int64_t known, threads = t->facts->threads[axis];
        const char *n = trips_text(t, axis, &known);
        if (known) n = arena_printf(arena, "%lld", (long long)((known - 1) / threads + 1));
        else if (threads == 1) n = bracketed(arena, n);
        else n = arena_printf(arena, "ceil(%s / %lld)", bracketed(arena, n), (long long)threads);
        text = axis ? arena_printf(arena, "%s x %s", text, n) : n;
    }
    return text;
}

static const char *items_text(Teller *t) {
    Arena *arena = &t->cg->c->arena;
    if (t->fn->reduction) return arena_printf(arena, "1 per thread; several above %d blocks", GPU_MAX_PARTS);
    if (t->facts->n_axes == 1 || t->facts->fixed) return "1 per thread";
    return arena_printf(arena, "1 per thread, up to %d blocks along y%s", GPU_MAX_YZ,
                        t->facts->n_axes > 2 ? " and along z" : "");
}

/* Includes the memory of a reduction: an accumulator for each thread, and a flag. */
static int64_t shared_bytes(const Teller *t) {
    int64_t items = t->fn->group.items ? t->fn->group.items : GPU_MAX_THREADS;
    int64_t sums = t->fn->reduction ? items * type_size_bytes(t->fn->result) + 4 : 0;
    return t->fn->group.shared_bytes + sums;
}

static void note_device(Teller *t, const LaunchDevice *device) {
    bool amd = !strcmp(device->target, "amdgpu");
    const char *symbol = off_narrow_symbol(t->cg->c, t->fn->symbol); /* the entry that almost all launches use */
    LaunchResources r = device->said ? resources_read(device->said, symbol, amd) : (LaunchResources){0};
    if (!r.known) r.shared = shared_bytes(t);
    const int64_t *threads = t->facts->threads;
    Occupancy o = occupancy(device->arch, threads[0] * threads[1] * threads[2], &r);
    LaunchNeeds needs = {device->arch, amd,      r.known,   r.registers,    r.scalars, r.spilled,
                         o.known,      o.blocks, o.threads, o.most_threads, o.limit};
    vec_push(&t->cg->c->arena, &t->row->needs, needs);
}

/* Memory ----------------------------------------------------------------------------------------------------------- */

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

static void note_cost(LaunchAccessNote *row, const WarpCost *c) {
    row->known = c->known;
    row->places = c->places;
    row->sectors = c->sectors;
    row->least = c->least;
    row->ways = c->ways;
}

static void note_global(Teller *t, const LaunchAccess *x, const Steps *address, LaunchAccessNote *row) {
    Arena *arena = &t->cg->c->arena;
    WarpCost c = warp_cost(&t->warp, address, x->element, x->bytes);
    note_cost(row, &c);
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

static void note_shared(Teller *t, const LaunchAccess *x, const Steps *address, LaunchAccessNote *row) {
    Arena *arena = &t->cg->c->arena;
    WarpCost c = warp_cost(&t->warp, address, x->element, x->bytes);
    note_cost(row, &c);
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

/* Constant memory reads one address at a time. */
static void note_constant(Teller *t, const LaunchAccess *x, const Steps *address, LaunchAccessNote *row) {
    WarpCost c = warp_cost(&t->warp, address, x->element, x->bytes);
    note_cost(row, &c);
    if (!c.known) row->cost = arena_printf(&t->cg->c->arena, "1 to %d reads, one for each address", WARP);
    else if (c.places == 1) row->cost = "broadcast";
    else row->cost = arena_printf(&t->cg->c->arena, "%d reads, one for each address", c.places);
}

/* The address of an item as an affine form; a formula where the stride is a size that only a launch knows. */
static void note_strides(Teller *t, const LaunchAccess *x, const Steps *address, LaunchAccessNote *row) {
    row->bytes = x->bytes;
    for (int axis = 0; axis < GRID_AXES; axis++) {
        const Step *s = &address->along[axis];
        if (s->kind == STEP_KNOWN) row->stride[axis] = s->by * x->element;
        if (s->kind == STEP_ANY) row->size[axis] = "";
        if (s->kind != STEP_SIZE) continue;
        const char *format = strstr(s->text, " + ") || strstr(s->text, " - ") ? "%lld*(%s)" : "%lld*%s";
        row->size[axis] = arena_printf(&t->cg->c->arena, format, (long long)x->element, s->text);
    }
}

static LaunchAccessNote row_of(Teller *t, const LaunchAccess *x) {
    Arena *arena = &t->cg->c->arena;
    Steps address = launch_address(arena, x, 0);
    Place p = cg_place(t->cg, x->span);
    LaunchAccessNote row = {.function = x->in->name, .file = p.file->path, .line = p.line, .col = p.col};
    row.text = source(t, x->span);
    row.steps = steps_text(t, &address);
    row.mode = x->is_atomic ? "atomic" : x->reads && x->writes ? "both" : x->writes ? "write" : "read";
    static const char *const names[] = {[MEMORY_GLOBAL] = "global", [MEMORY_SHARED] = "shared",
                                        [MEMORY_CONSTANT] = "constant", [MEMORY_OWN] = "private"};
    row.memory = names[x->memory];
    if (x->memory == MEMORY_SHARED) note_shared(t, x, &address, &row);
    else if (x->memory == MEMORY_GLOBAL) note_global(t, x, &address, &row);
    else if (x->memory == MEMORY_CONSTANT) note_constant(t, x, &address, &row);
    else row.steps = "", row.cost = "registers, or local memory";
    note_strides(t, x, &address, &row);
    return row;
}

static bool same_row(const LaunchAccessNote *a, const LaunchAccessNote *b) {
    return !strcmp(a->text, b->text) && !strcmp(a->mode, b->mode) && a->line == b->line && a->file == b->file &&
           !strcmp(a->cost, b->cost) && !strcmp(a->steps, b->steps);
}

static void note_accesses(Teller *t) {
    LaunchKernel *k = t->row;
    for (int i = 0; i < t->facts->accesses.n; i++) {
        LaunchAccessNote row = row_of(t, &t->facts->accesses.at[i]);
        bool told = false;
        for (int n = 0; n < k->accesses.n && !told; n++) told = same_row(&k->accesses.at[n], &row);
        if (!told) vec_push(&t->cg->c->arena, &k->accesses, row);
    }
}

static void note_branches(Teller *t) {
    for (int i = 0; i < t->facts->branches.n; i++) {
        const LaunchBranch *b = &t->facts->branches.at[i];
        Place p = cg_place(t->cg, b->span);
        LaunchBranchNote row = {.function = b->in->name, .file = p.file->path, .line = p.line, .col = p.col,
                                .is_loop = b->is_loop, .only_edges = b->only_edges, .each_group = b->each_group,
                                .from_memory = b->from_memory, .text = source(t, b->span)};
        vec_push(&t->cg->c->arena, &t->row->branches, row);
    }
}

/* Kernels ---------------------------------------------------------------------------------------------------------- */

static const char *domain_text(Teller *t) {
    Arena *arena = &t->cg->c->arena;
    const BinderList *over = &t->fn->item->fn.over;
    const char *text = "";
    for (int d = 0; d < over->n; d++) {
        const Binder *b = &over->at[d];
        text = arena_printf(arena, "%s%s%s in %s", text, d ? ", " : "over ", b->name, source(t, b->range.span));
        if (b->by) text = arena_printf(arena, "%s by %s", text, source(t, b->by->span));
    }
    return text;
}

static void note_kernel(Teller *t, const LaunchDevice *devices, int n) {
    Place p = cg_place(t->cg, t->fn->name_span);
    *t->row = (LaunchKernel){.kernel = t->fn->name, .file = p.file->path, .line = p.line, .col = p.col};
    t->row->domain = domain_text(t);
    note_threads(t);
    t->row->blocks = blocks_text(t);
    t->row->items = items_text(t);
    t->row->shared = shared_bytes(t);
    for (int i = 0; i < n; i++) note_device(t, &devices[i]);
    note_accesses(t);
    note_branches(t);
    t->row->barriers = t->facts->barriers;
}

LaunchKernels launch_rows(Cg *cg, const LaunchDevice *devices, int n) {
    const Program *p = cg->program;
    LaunchKernels kernels = {0};
    for (int i = 0; i < p->funcs.n; i++) {
        if (!p->funcs.at[i]->is_kernel) continue;
        LaunchFacts facts = launch_facts(cg, p->funcs.at[i]);
        LaunchKernel row;
        Teller t = {.cg = cg, .row = &row, .facts = &facts, .fn = p->funcs.at[i], .warp = warp_of(facts.threads)};
        note_kernel(&t, devices, n);
        vec_push(&cg->c->arena, &kernels, row);
    }
    return kernels;
}
