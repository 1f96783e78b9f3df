/* json.c -- explanations as JSON, through json-c. */
#include "driver/json.h"

#include <json-c/json.h>
#include <string.h>

#include "sema/races/races.h"

static void add_text(struct json_object *to, const char *key, const char *text) {
    if (text) json_object_object_add(to, key, json_object_new_string(text));
}

static struct json_object *note_object(const TransferNote *n) {
    struct json_object *o = json_object_new_object();
    add_text(o, "kind", n->launch ? "launch" : "host");
    add_text(o, "file", n->file);
    json_object_object_add(o, "line", json_object_new_int(n->line));
    json_object_object_add(o, "column", json_object_new_int(n->col));
    add_text(o, "function", n->function);
    add_text(o, "text", n->text);
    add_text(o, "kernel", n->kernel);
    add_text(o, "array", n->array);
    add_text(o, "mode", n->mode);
    add_text(o, "moves", n->moves);
    if (n->launch) add_text(o, "bytes", n->bytes);
    json_object_object_add(o, "resident", json_object_new_boolean(n->resident));
    add_text(o, "why", n->why);
    return o;
}

void json_print(struct json_object *o, Buf *out) {
    buf_puts(out, json_object_to_json_string_ext(o, JSON_C_TO_STRING_PRETTY | JSON_C_TO_STRING_NOSLASHESCAPE));
    buf_putc(out, '\n');
    json_object_put(o);
}

void transfers_as_json(const Program *p, Buf *out) {
    TransferNotes notes = transfer_notes(p);
    struct json_object *list = json_object_new_array();
    for (int i = 0; i < notes.n; i++) json_object_array_add(list, note_object(&notes.at[i]));
    json_print(list, out);
}

/* Races ------------------------------------------------------------------------------------------------------------ */

static struct json_object *values_object(const RaceValues *v) {
    struct json_object *o = json_object_new_object();
    for (int i = 0; i < v->n; i++) json_object_object_add(o, v->at[i].name, json_object_new_int64(v->at[i].value));
    return o;
}

static struct json_object *witness_object(const RaceWitness *x) {
    struct json_object *o = json_object_new_object(), *items = json_object_new_array(),
                       *element = json_object_new_array();
    for (int k = 0; k < 2; k++) json_object_array_add(items, values_object(&x->items[k]));
    for (int i = 0; i < x->element.n; i++)
        json_object_array_add(element, json_object_new_int64(x->element.at[i].value));
    json_object_object_add(o, "sizes", values_object(&x->sizes));
    json_object_object_add(o, "items", items);
    json_object_object_add(o, "element", element);
    return o;
}

static struct json_object *pair_object(const Program *p, const RacePair *r) {
    struct json_object *o = json_object_new_object(), *lines = json_object_new_array();
    struct json_object *columns = json_object_new_array(), *modes = json_object_new_array();
    for (int k = 0; k < 2; k++) {
        Place at = source_place(&p->c->sources, r->at[k].lo);
        json_object_array_add(lines, json_object_new_int(at.line));
        json_object_array_add(columns, json_object_new_int(at.col));
        json_object_array_add(modes, json_object_new_string(r->mode[k]));
    }
    add_text(o, "array", r->array->name);
    json_object_object_add(o, "lines", lines);
    json_object_object_add(o, "columns", columns);
    json_object_object_add(o, "modes", modes);
    add_text(o, "verdict", r->verdict == RACE_FREE ? "free" : r->verdict == RACE_UNKNOWN ? "unknown" : "race");
    json_object_object_add(o, "benign", json_object_new_boolean(r->verdict == RACE_BENIGN));
    if (r->verdict >= RACE_BENIGN) json_object_object_add(o, "witness", witness_object(&r->witness));
    add_text(o, "reason", r->reason);
    return o;
}

void races_as_json(const Program *p, Buf *out) {
    struct json_object *all = json_object_new_object(), *kernels = json_object_new_array();
    for (int i = 0; i < p->funcs.n; i++) {
        const Func *f = p->funcs.at[i];
        if (!f->races) continue;
        struct json_object *o = json_object_new_object(), *pairs = json_object_new_array();
        Place at = source_place(&p->c->sources, f->name_span.lo);
        add_text(o, "name", f->name);
        add_text(o, "file", at.file ? at.file->path : "?");
        json_object_object_add(o, "line", json_object_new_int(at.line));
        for (int k = 0; k < f->races->pairs.n; k++)
            json_object_array_add(pairs, pair_object(p, &f->races->pairs.at[k]));
        json_object_object_add(o, "pairs", pairs);
        add_text(o, "failed", f->races->failed);
        if (f->races->ms > 0) {
            json_object_object_add(o, "ms", json_object_new_double(f->races->ms));
            json_object_object_add(o, "steps", json_object_new_int64((int64_t)f->races->steps));
        }
        json_object_array_add(kernels, o);
    }
    json_object_object_add(all, "kernels", kernels);
    json_print(all, out);
}

/* Bounds ----------------------------------------------------------------------------------------------------------- */

static void add_number(struct json_object *to, const char *key, int64_t v) {
    json_object_object_add(to, key, json_object_new_int64(v));
}

static void add_bool(struct json_object *to, const char *key, bool v) {
    json_object_object_add(to, key, json_object_new_boolean(v));
}

static struct json_object *place_object(const char *file, int line, int col) {
    struct json_object *o = json_object_new_object();
    add_text(o, "file", file);
    if (!line) return o;
    add_number(o, "line", line);
    add_number(o, "column", col);
    return o;
}

static const char *fate_text(CheckFate fate) {
    switch (fate) {
    case CHECK_KEPT: return "kept";
    case CHECK_HOISTED: return "hoisted";
    case CHECK_PROVEN: return "proven";
    case CHECK_PROVEN_BY_CALLERS: return "proven by callers";
    }
    return "?";
}

void bounds_as_json(const Program *p, Buf *out) {
    struct json_object *all = json_object_new_object(), *list = json_object_new_array();
    CheckNotes notes = check_notes(p);
    for (int i = 0; i < notes.n; i++) {
        const CheckNote *n = &notes.at[i];
        struct json_object *o = place_object(n->file, n->line, n->col);
        add_text(o, n->func->is_kernel ? "kernel" : "function", n->func->name);
        add_text(o, "kind", n->kind);
        add_text(o, "access", n->text);
        add_text(o, "check", fate_text(n->fate));
        add_text(o, "reason", n->why);
        json_object_array_add(list, o);
    }
    json_object_object_add(all, "checks", list);
    json_print(all, out);
}

/* Vector code ------------------------------------------------------------------------------------------------------ */

static struct json_object *remark_object(const VectorRemark *r) {
    struct json_object *o = place_object(r->file, r->line, r->col);
    add_text(o, "kind", r->kind);
    add_bool(o, "scalar", r->is_scalar);
    add_text(o, "text", r->text);
    return o;
}

static struct json_object *plan_object(const VectorPlan *p) {
    struct json_object *o = json_object_new_object();
    add_text(o, "for", p->launches);
    add_number(o, "lanes", p->lanes);
    add_number(o, "vectors", p->vectors);
    add_number(o, "rows", p->rows);
    add_number(o, "band", p->band > 1 ? p->band : 1);
    add_text(o, "start", p->start);
    add_text(o, "tail", p->tail);
    add_text(o, "stream", p->stream);
    add_text(o, "split", p->split);
    add_bool(o, "unroll", p->unroll);
    add_number(o, "tile", p->tile);
    return o;
}

static struct json_object *nest_object(const VectorNest *n) {
    struct json_object *o = place_object(n->file, n->line, n->col);
    struct json_object *remarks = json_object_new_array(), *versions = json_object_new_array();
    add_text(o, "kernel", n->kernel);
    add_number(o, "nest", n->number);
    add_bool(o, "vectorised", n->is_vector);
    if (n->is_vector) {
        add_number(o, "lanes", n->lanes);
        add_number(o, "vectors", n->vectors);
        add_number(o, "rows", n->rows);
        add_bool(o, "unrolled", n->is_unrolled);
    }
    for (int i = 0; i < n->head.n; i++) json_object_array_add(remarks, remark_object(&n->head.at[i]));
    for (int i = 0; i < n->remarks.n; i++) json_object_array_add(remarks, remark_object(&n->remarks.at[i]));
    for (int i = 0; i < n->plans.n; i++) json_object_array_add(versions, plan_object(&n->plans.at[i]));
    json_object_object_add(o, "remarks", remarks);
    json_object_object_add(o, "versions", versions);
    return o;
}

static void add_privatised(const Program *p, const Func *kernel, struct json_object *list) {
    Place at = source_place(&p->c->sources, kernel->name_span.lo);
    for (int i = 0; kernel->is_kernel && i < kernel->params.n; i++) {
        AtomicKind how = combine_facts(kernel->params.at[i])->how;
        if (!how) continue;
        struct json_object *o = place_object(at.file ? at.file->path : "?", at.line, at.col);
        add_text(o, "kernel", kernel->name);
        add_text(o, "array", kernel->params.at[i]->name);
        add_text(o, "update", atomic_rows[how].spelling);
        json_object_array_add(list, o);
    }
}

void vector_as_json(const Program *p, const VectorNotes *notes, Buf *out) {
    struct json_object *all = json_object_new_object(), *nests = json_object_new_array();
    struct json_object *privatised = json_object_new_array();
    for (int i = 0; i < notes->nests.n; i++) json_object_array_add(nests, nest_object(&notes->nests.at[i]));
    for (int i = 0; i < p->funcs.n; i++) add_privatised(p, p->funcs.at[i], privatised);
    json_object_object_add(all, "nests", nests);
    json_object_object_add(all, "privatised", privatised);
    json_print(all, out);
}

/* Launches --------------------------------------------------------------------------------------------------------- */

static struct json_object *needs_object(const LaunchNeeds *d) {
    struct json_object *o = json_object_new_object();
    add_text(o, "arch", d->arch);
    if (d->known) {
        add_number(o, "registers", d->registers);
        if (d->is_amd) add_number(o, "scalar_registers", d->scalars);
        add_number(o, "spilled_bytes", d->spilled);
    }
    if (!d->has_occupancy) return o;
    add_bool(o, "at_most", !d->known);
    add_number(o, "blocks", d->blocks);
    add_number(o, "threads", d->threads);
    add_number(o, "most_threads", d->most_threads);
    add_number(o, "percent", 100 * d->threads / d->most_threads);
    add_text(o, "limit", d->limit);
    return o;
}

/* A stride that is known when the program is compiled is a number, a size of the launch a formula, any other null. */
static struct json_object *strides_array(const LaunchKernel *k, const LaunchAccessNote *x) {
    struct json_object *strides = json_object_new_array();
    for (int i = 0; i < k->n_axes; i++) {
        const char *size = x->size[i];
        struct json_object *known = size ? NULL : json_object_new_int64(x->stride[i]);
        json_object_array_add(strides, size && *size ? json_object_new_string(size) : known);
    }
    return strides;
}

static struct json_object *launch_access_object(const LaunchKernel *k, const LaunchAccessNote *x) {
    struct json_object *o = place_object(x->file, x->line, x->col);
    bool is_shared = !strcmp(x->memory, "shared"), is_global = !strcmp(x->memory, "global");
    add_text(o, "function", x->function);
    add_text(o, "access", x->text);
    add_text(o, "mode", x->mode);
    add_text(o, "memory", x->memory);
    if (*x->steps) add_text(o, "steps", x->steps);
    add_number(o, "bytes", x->bytes);
    if (x->known) json_object_object_add(o, "strides", strides_array(k, x));
    if (x->known) add_number(o, "addresses", x->places);
    if (x->known && is_shared) add_number(o, "conflict", x->ways);
    if (x->known && is_global) {
        add_number(o, "sectors", x->sectors);
        add_number(o, "least_sectors", x->least);
        add_bool(o, "coalesced", x->sectors <= x->least);
    }
    add_text(o, "cost", x->cost);
    add_text(o, "advice", x->advice);
    return o;
}

static struct json_object *branch_object(const LaunchBranchNote *b) {
    struct json_object *o = place_object(b->file, b->line, b->col);
    add_text(o, "function", b->function);
    add_text(o, "kind", b->is_loop ? "loop" : "if");
    add_text(o, "condition", b->text);
    add_bool(o, "only_edges", b->only_edges);
    add_bool(o, "each_group", b->each_group);
    add_bool(o, "from_memory", b->from_memory);
    add_text(o, "cost", launch_branch_text(b));
    return o;
}

static struct json_object *kernel_object(const LaunchKernel *k) {
    struct json_object *o = place_object(k->file, k->line, k->col), *threads = json_object_new_array();
    struct json_object *axes = json_object_new_array(), *needs = json_object_new_array();
    struct json_object *accesses = json_object_new_array(), *branches = json_object_new_array();
    struct json_object *warp = json_object_new_array();
    for (int i = 0; i < k->n_axes; i++) {
        json_object_array_add(warp, json_object_new_int64(k->warp[i]));
        json_object_array_add(threads, json_object_new_int64(k->threads[i]));
        json_object_array_add(axes, json_object_new_string(k->axis[i]));
    }
    for (int i = 0; i < k->needs.n; i++) json_object_array_add(needs, needs_object(&k->needs.at[i]));
    for (int i = 0; i < k->accesses.n; i++)
        json_object_array_add(accesses, launch_access_object(k, &k->accesses.at[i]));
    for (int i = 0; i < k->branches.n; i++) json_object_array_add(branches, branch_object(&k->branches.at[i]));
    add_text(o, "kernel", k->kernel);
    add_text(o, "domain", k->domain);
    json_object_object_add(o, "threads", threads);
    json_object_object_add(o, "axes", axes);
    json_object_object_add(o, "warp", warp);
    add_bool(o, "varies", k->varies);
    add_text(o, "blocks", k->blocks);
    add_text(o, "items", k->items);
    add_number(o, "shared_bytes", k->shared);
    json_object_object_add(o, "devices", needs);
    json_object_object_add(o, "accesses", accesses);
    json_object_object_add(o, "divergent", branches);
    add_number(o, "barriers", k->barriers);
    return o;
}

void launch_as_json(const LaunchKernels *kernels, Buf *out) {
    struct json_object *all = json_object_new_object(), *list = json_object_new_array();
    for (int i = 0; i < kernels->n; i++) json_object_array_add(list, kernel_object(&kernels->at[i]));
    json_object_object_add(all, "kernels", list);
    json_print(all, out);
}
