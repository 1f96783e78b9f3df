/* explain_transfers.c -- --explain=transfers: for each launch, how each array is copied and why, and where host code
 * needs the newest copy of an array. The decisions are those that plan.c has written into the tree, which irgen
 * follows. The reasons are found here: which writes may have produced the current copy (a reaching-definitions pass
 * over the graph of flow.h). */
#include <stdlib.h>
#include <string.h>

#include "sema/flow.h"

enum { MAX_WRITERS = 64 }; /* further ones share the last number */

typedef uint64_t Writers;

typedef struct Explain {
    Sema *s;
    ArrayFlow *flow;
    TransferNotes *notes;
    Vec(Event *) writers;
    Writers **in; /* by block and slot */
} Explain;

/* Reasons --------------------------------------------------------------------------------------------------------- */

static bool writes_on_device(const Event *e) {
    return e->kind == EVENT_PASS && e->launch && e->call->func->transfers.at[e->param] & TRANSFER_FROM;
}

static bool writes(const Event *e) {
    if (e->kind == EVENT_MAKE || e->kind == EVENT_WRITE || writes_on_device(e)) return true;
    return e->kind == EVENT_PASS && !e->launch && use_of_pass(e) & ~(unsigned)USE_READS;
}

static Writers number_of(Explain *x, Event *e) {
    for (int i = 0; i < x->writers.n; i++)
        if (x->writers.at[i] == e) return (Writers)1 << i;
    if (x->writers.n < MAX_WRITERS) vec_push(x->s->arena, &x->writers, e);
    return (Writers)1 << (x->writers.n - 1);
}

static void behind(Explain *x, Event *e, Writers *at) {
    Writers old = at[e->slot];
    if (e->kind == EVENT_SWAP) {
        at[e->slot] = e->other >= 0 ? at[e->other] : 0;
        if (e->other >= 0) at[e->other] = old;
    } else if (e->kind == EVENT_MOVE) {
        at[e->slot] = e->other >= 0 ? at[e->other] : 0;
    } else if (writes(e)) {
        bool adds = (e->kind == EVENT_PASS && !e->launch && use_of_pass(e) & USE_LAUNCHES) || e->asked == SYNC_POKE ||
                    e->asked == SYNC_UPDATE;
        at[e->slot] = number_of(x, e) | (adds ? old : 0);
    }
}

static void find_writers(Explain *x) {
    int n = x->flow->n_slots;
    Writers *at = arena_array(x->s->arena, Writers, n + 1);
    x->in = arena_array(x->s->arena, Writers *, x->flow->blocks.n + 1);
    for (int i = 0; i < x->flow->blocks.n; i++) x->in[i] = arena_array(x->s->arena, Writers, n + 1);
    for (bool changed = true; changed;) {
        changed = false;
        for (int i = 0; i < x->flow->blocks.n; i++) {
            FlowBlock *b = x->flow->blocks.at[i];
            memcpy(at, x->in[i], sizeof *at * (size_t)n);
            for (int k = 0; k < b->events.n; k++) behind(x, &b->events.at[k], at);
            for (int k = 0; k < b->n_next; k++)
                for (int slot = 0; slot < n; slot++) {
                    Writers *to = &x->in[b->next[k]][slot], before = *to;
                    *to |= at[slot];
                    changed |= *to != before;
                }
        }
    }
}

static int line_of(Explain *x, Span span) { return source_place(&x->s->c->sources, span.lo).line; }

/* "line 4", "lines 4 and 9", "lines 4, 9 and 12": of the writers on one side. Empty: there are none. */
static const char *lines_of(Explain *x, Writers set, bool on_device) {
    int lines[MAX_WRITERS], n = 0;
    for (int i = 0; i < x->writers.n; i++) {
        if (!(set >> i & 1) || writes_on_device(x->writers.at[i]) != on_device) continue;
        int line = line_of(x, x->writers.at[i]->span), at = n;
        while (at > 0 && lines[at - 1] > line) at--;
        if (at > 0 && lines[at - 1] == line) continue;
        memmove(lines + at + 1, lines + at, sizeof *lines * (size_t)(n - at));
        lines[at] = line;
        n++;
    }
    const char *text = n ? arena_printf(x->s->arena, n == 1 ? "line %d" : "lines %d", lines[0]) : "";
    for (int i = 1; i < n; i++) text = arena_printf(x->s->arena, "%s%s %d", text, i == n - 1 ? " and" : ",", lines[i]);
    return text;
}

/* Launches -------------------------------------------------------------------------------------------------------- */

static const char *mode_text(RefMode m) {
    static const char *const texts[REF__COUNT] = {"", "&", "&mut", "&out", "&scratch"};
    return texts[m];
}

/* "4*n*m": the bytes of the parameter, in terms of the sizes of the kernel. */
static const char *bytes_text(Explain *x, const Event *e) {
    const Func *k = e->call->func;
    const Symbol *param = k->params.at[e->param];
    const char *text = arena_printf(x->s->arena, "%lld", (long long)type_size_bytes(param->type->elem));
    Wide known = type_size_bytes(param->type->elem);
    bool all_known = true;
    for (int d = 0; d < param->type->rank; d++) {
        const Extent *extent = &k->shapes.at[e->param].at[d];
        bool is_const = extent->kind == EXTENT_CONST;
        const char *name = is_const ? arena_printf(x->s->arena, "%lld", (long long)extent->value)
                           : extent->size && strcmp(extent->size->name, "_")
                               ? size_factor(x->s->arena, extent->size, extent->value)
                                                                            : arena_printf(x->s->arena, "shape(%s, %d)",
                                                                                           param->name, d);
        text = arena_printf(x->s->arena, "%s*%s", text, name);
        all_known = all_known && is_const;
        if (is_const) known *= extent->value;
    }
    return all_known && known < INT64_MAX ? arena_printf(x->s->arena, "%lld", (long long)known) : text;
}

static const char *transfer_text(Transfer t) {
    switch (t) {
    case TRANSFER_ALLOC: return "alloc";
    case TRANSFER_TO: return "to";
    case TRANSFER_FROM: return "from";
    case TRANSFER_TOFROM: return "tofrom";
    case TRANSFER_UNUSED: return "nothing";
    }
    return "?";
}

/* Why the kernel needs fewer copies than the mode of the parameter says. */
static const char *narrowing(Explain *x, const Event *e) {
    const Func *k = e->call->func;
    RefMode mode = k->params.at[e->param]->mode;
    Transfer t = k->transfers.at[e->param];
    if (e->is_together && t & TRANSFER_TO) return "the launches around it write every element and read none";
    if (t == TRANSFER_UNUSED) return "the kernel does not access its elements";
    if (mode == REF_MUT && t == TRANSFER_TO) return "the kernel never writes it";
    if (mode == REF_MUT && t == TRANSFER_FROM) {
        const char *writer = k->facts->whole[e->param].writer; /* asked for when the transfer was narrowed */
        if (!writer) return "every element is written and none is read";
        return arena_printf(x->s->arena, "every element is written, by `%s`, and none is read", writer);
    }
    if (mode == REF_OUT && t == TRANSFER_TOFROM) return "cannot prove that every element is written";
    return "";
}

static const char *why_alone(const Event *e, const ArgPlan *a) {
    Transfer of_kernel = e->call->func->transfers.at[e->param];
    if (of_kernel & TRANSFER_FROM && !(a->transfer & TRANSFER_FROM)) return "not copied back: nothing reads it "
        "afterwards";
    return a->transfer & TRANSFER_FROM ? "with the launch; the host uses it next" : "with the launch; no later launch "
        "uses it";
}

static bool names_device(const Event *e) { return e->launch && e->launch->offload.device; }

/* May the newest copy be on another device than the launch is on? */
static bool may_be_elsewhere(const Explain *x, const Event *e, Writers set) {
    bool found = names_device(e);
    for (int i = 0; i < x->writers.n; i++) found |= set >> i & 1 && names_device(x->writers.at[i]);
    return found;
}

/* What makes a device fill its memory where it would copy (runtime/section.c, is_uniform): equal words of 4 bytes. */
static bool is_uniform(const Expr *fill) {
    const Expr *value = fill->fill.value;
    bool is_zero = (value->konst.kind == CONST_INT || value->konst.kind == CONST_FLOAT) && !value->konst.i; /* bits */
    return type_size_bytes(value->type) <= 4 || is_zero;
}

/* The bytes of `[v; n, m]`; -1: the extents are not constants. */
static Wide fill_bytes(const Expr *fill) {
    Wide bytes = type_size_bytes(fill->fill.value->type);
    for (int i = 0; i < fill->fill.extents.n; i++) {
        const Const *extent = &fill->fill.extents.at[i]->konst;
        if (extent->kind != CONST_INT) return -1;
        bytes *= extent->i;
    }
    return bytes;
}

/* "; filled there": the host has written it only as `[v; n]`, and it is large enough (runtime/section.c). */
static const char *or_filled(const Explain *x, Writers set) {
    enum { FILLED_FROM = 1 << 16 };
    int n_small = 0, n_large = 0, n_unknown = 0;
    for (int i = 0; i < x->writers.n; i++) {
        const Event *e = x->writers.at[i];
        if (!(set >> i & 1) || writes_on_device(e)) continue;
        if (!e->fill || !is_uniform(e->fill)) return "";
        Wide bytes = fill_bytes(e->fill);
        n_small += bytes >= 0 && bytes < FILLED_FROM;
        n_large += bytes >= FILLED_FROM;
        n_unknown += bytes < 0;
    }
    if (!n_large && !n_unknown) return "";
    return !n_small && !n_unknown ? "; not copied but filled there: it holds one value"
                                  : "; from 64 KiB on not copied but filled there: it holds one value";
}

static const char *why_resident(Explain *x, const Event *e, const ArgPlan *a, Writers set) {
    const char *host = lines_of(x, set, false);
    if (names_device(e) && !(a->transfer & TRANSFER_TO))
        return "kept on the device of the launch: only memory is allocated there";
    if (names_device(e)) return "kept on the device of the launch: copied in if another copy is newer";
    if (a->brings_whole) return "kept on the device: the whole array is copied in, because a later launch reads it";
    if (a->is_there) return "kept on the device: it is already there";
    if (!(a->transfer & TRANSFER_TO)) return "kept on the device: only memory is allocated there";
    if (may_be_elsewhere(x, e, set)) return "kept on the device: copied in if another copy is newer";
    if (!*host) return "kept on the device: copied in if the host's copy is newer";
    if (a->only_parts)
        return arena_printf(x->s->arena, "kept on the device: the elements that the host has written are copied in "
                                         "(%s)", host);
    const char *device = lines_of(x, set, true);
    if (*device)
        return arena_printf(x->s->arena, "kept on the device: copied in if its newest values are from the host (%s), "
                                         "not from a launch (%s)", host, device);
    return arena_printf(x->s->arena, "kept on the device: copied in once after the host has written it (%s)%s", host,
                        or_filled(x, set));
}

static TransferNote *note(Explain *x, Span span) {
    Place at = source_place(&x->s->c->sources, span.lo);
    TransferNote n = {.file = at.file ? at.file->path : "?", .line = at.line, .col = at.col,
                      .function = x->flow->func->name};
    vec_push(x->s->arena, x->notes, n);
    return &x->notes->at[x->notes->n - 1];
}

static const char *first_line(Explain *x, Span span) {
    const char *text = source_text(x->s, span);
    return arena_printf(x->s->arena, "%.*s", (int)strcspn(text, "\n"), text);
}

static void note_argument(Explain *x, const Event *e, Writers set) {
    const ArgPlan *a = &e->launch->offload.plan->args[e->param];
    TransferNote *n = note(x, e->launch->span);
    const char *because = narrowing(x, e), *how = "";
    n->text = first_line(x, e->launch->span);
    n->launch = e->launch;
    n->kernel = e->call->func->name;
    const Symbol *array = x->flow->symbol[e->slot];
    n->array = array->part_of ? array->name : source_text(x->s, e->arg->value->span);
    n->mode = mode_text(e->call->func->params.at[e->param]->mode);
    n->bytes = bytes_text(x, e);
    n->resident = a->resident;
    Transfer moved = a->resident ? a->transfer & (a->is_there ? 0 : TRANSFER_TO) : a->transfer;
    n->moves = a->resident && !moved ? "nothing" : a->only_parts && moved ? "parts" : transfer_text(moved);
    if (a->transfer != TRANSFER_UNUSED) how = a->resident ? why_resident(x, e, a, set) : why_alone(e, a);
    const char *filled = !a->resident && a->transfer & TRANSFER_TO ? or_filled(x, set) : "";
    n->why = arena_printf(x->s->arena, "%s%s%s%s", how, filled, *how && *because ? "; " : "", because);
}

/* A row of a launch below its arrays. */
static TransferNote *note_below(Explain *x, const Event *e, const char *what, const char *moves, int64_t bytes) {
    TransferNote *n = note(x, e->launch->span);
    n->text = first_line(x, e->launch->span);
    n->launch = e->launch;
    n->kernel = e->call->func->name;
    n->array = what;
    n->mode = "";
    n->moves = moves;
    n->bytes = arena_printf(x->s->arena, "%lld", (long long)bytes);
    return n;
}

/* Single values that are passed by reference, and the result of a reduction: copied with each launch. */
static void note_values(Explain *x, const Event *e) {
    const Func *k = e->call->func;
    const ArgList *args = &e->launch->offload.call->call.args;
    for (int i = 0; i < k->params.n && i < args->n; i++) {
        const Symbol *param = k->params.at[i];
        if (param->mode == REF_NONE || param->mode == REF_SCRATCH || param->type->kind == TY_ARRAY || param->part_of)
            continue;
        const char *moves = param->mode == REF_MUT ? "tofrom" : param->mode == REF_OUT ? "from" : "to";
        TransferNote *n = note_below(x, e, source_text(x->s, args->at[i].value->span), moves,
                                     type_size_bytes(param->type));
        n->mode = mode_text(param->mode);
        n->is_value = true;
        n->why = "a single value: with each launch";
    }
    if (k->reduction == REDUCE_NONE) return;
    TransferNote *n = note_below(x, e, "result", "from", type_size_bytes(k->result));
    n->is_value = true;
    n->why = arena_printf(x->s->arena, "the result of `%s`: with each launch", k->name);
}

/* The error slot of the launch (runtime/slot.c), below its arrays and values. */
static void note_checks(Explain *x, const Event *e) {
    if (!e->call->func->may_fail) return;
    TransferNote *n = note_below(x, e, "checks", "from", 8);
    n->is_checks = true;
    n->why = "tells whether a check failed (--explain=bounds lists them); the first launch sends 128 bytes";
}

static const char *what_comes_back(Explain *x, const Event *e, const char *device) {
    if (e->asked == SYNC_FILL) return "nothing is copied back, because every element is overwritten";
    if (e->asked == SYNC_POKE) return "nothing is copied back; that part is copied in before the next launch uses it";
    bool part = e->asked == SYNC_PEEK || e->asked == SYNC_UPDATE;
    const char *what = !part          ? "it is copied back"
                       : e->at->more ? "that part is copied back; a small array as a whole"
                                     : "that part is copied back";
    if (e->asked == SYNC_UPDATE) what = arena_printf(x->s->arena, "%s; it is copied in before the next launch uses it",
                                                     what);
    if (*device) return arena_printf(x->s->arena, "written on the device (%s): %s", device, what);
    return arena_printf(x->s->arena, "if the device's copy is newer, %s", what);
}

static const char *moves_of(Sync asked) {
    switch (asked) {
    case SYNC_PEEK:
    case SYNC_UPDATE: return "part";
    case SYNC_POKE:
    case SYNC_FILL: return "nothing";
    case SYNC_NONE:
    case SYNC_READ:
    case SYNC_WRITE:
    case SYNC_DEVICE: break;
    }
    return "from";
}

static void note_host(Explain *x, const Event *e, Writers set) {
    TransferNote *n = note(x, e->span);
    bool before_loop = e->at ? e->at->sync == SYNC_NONE : true;
    n->text = first_line(x, e->span);
    n->array = event_array_name(x->s, x->flow, e);
    n->mode = e->asked <= SYNC_READ ? "read" : e->asked == SYNC_FILL ? "fill" : "write";
    n->moves = moves_of(e->asked);
    n->bytes = "";
    n->resident = true;
    n->why = arena_printf(x->s->arena, "%s%s", what_comes_back(x, e, lines_of(x, set, true)),
                          before_loop ? ", before the loop" : "");
}

static int compare_places(const void *a, const void *b) {
    const Event *x = *(Event *const *)a, *y = *(Event *const *)b;
    Span p = x->launch ? x->launch->span : x->span, q = y->launch ? y->launch->span : y->span;
    if (p.lo != q.lo) return p.lo < q.lo ? -1 : 1;
    return x->param < y->param ? -1 : x->param > y->param;
}

/* In the order of the text, each with what may have written the array before. */
static void explain_func(Explain *x) {
    find_writers(x);
    int n = x->flow->n_slots, total = 0, count = 0;
    for (int i = 0; i < x->flow->blocks.n; i++) total += x->flow->blocks.at[i]->events.n;
    Event **events = arena_array(x->s->arena, Event *, total + 1);
    Writers *at = arena_array(x->s->arena, Writers, n + 1);
    for (int i = 0; i < x->flow->blocks.n; i++) {
        FlowBlock *b = x->flow->blocks.at[i];
        memcpy(at, x->in[i], sizeof *at * (size_t)n);
        for (int k = 0; k < b->events.n; k++) {
            Event *e = &b->events.at[k];
            e->writers = at[e->slot];
            behind(x, e, at);
            bool planned = e->kind == EVENT_PASS && e->launch && e->launch->offload.plan;
            if (planned || e->asked != SYNC_NONE) events[count++] = e;
        }
    }
    qsort(events, (size_t)count, sizeof *events, compare_places);
    for (int i = 0; i < count; i++) {
        if (events[i]->kind != EVENT_PASS || !events[i]->launch) {
            note_host(x, events[i], events[i]->writers);
            continue;
        }
        note_argument(x, events[i], events[i]->writers);
        if (i + 1 < count && events[i + 1]->launch == events[i]->launch) continue;
        note_values(x, events[i]);
        note_checks(x, events[i]);
    }
}

TransferNotes transfer_notes(const Program *p) {
    Sema s = {.c = p->c, .arena = &p->c->arena};
    TransferNotes notes = {0};
    for (int i = 0; i < p->funcs.n; i++) {
        const Func *f = p->funcs.at[i];
        if (f->is_kernel || !f->facts->flow) continue;
        Explain x = {.s = &s, .flow = f->facts->flow, .notes = &notes};
        explain_func(&x);
    }
    return notes;
}

/* As text --------------------------------------------------------------------------------------------------------- */

static int wider(int width, const char *text) { return (int)strlen(text) > width ? (int)strlen(text) : width; }

/* A launch: from its first note on, which follow one another. Returns how many there are. */
static int say_launch(const TransferNote *first, const TransferNote *end, Buf *out) {
    enum { WIDTH = 12 };
    int array = WIDTH, bytes = WIDTH, n = 0;
    for (; first + n < end && first[n].launch == first->launch; n++) {
        array = wider(array, first[n].array);
        bytes = wider(bytes, first[n].bytes);
    }
    buf_printf(out, "%s:%d:%d: %s\n", first->file, first->line, first->col, first->text);
    buf_printf(out, "  %-*s %-5s %-8s %s\n", array, "array", "says", "moves", "bytes");
    for (const TransferNote *t = first; t < first + n; t++)
        buf_printf(out, "  %-*s %-5s %-8s %-*s %s\n", array, t->array, t->mode, t->moves, bytes, t->bytes, t->why);
    return n;
}

void explain_transfers(const Program *p, Buf *out) {
    TransferNotes notes = transfer_notes(p);
    for (const TransferNote *n = notes.at, *end = notes.at + notes.n; n < end;) {
        if (n->launch) {
            n += say_launch(n, end, out);
            continue;
        }
        buf_printf(out, "%s:%d:%d: the host %ss `%s`: %s\n", n->file, n->line, n->col, n->mode, n->array, n->why);
        n++;
    }
    if (!notes.n) buf_puts(out, "no launch uses arrays\n");
}

/* One line for each decision, without reasons: --emit=plan. */
void emit_plan(const Program *p, Buf *out) {
    TransferNotes notes = transfer_notes(p);
    for (int i = 0; i < notes.n; i++) {
        const TransferNote *n = &notes.at[i];
        if (n->is_checks || n->is_value) continue;
        buf_printf(out, "%s:%d:%d %s %s %s", n->function, n->line, n->col, n->launch ? n->kernel : n->mode, n->array,
                   n->moves);
        buf_puts(out, !n->launch ? "\n" : n->resident ? " resident\n" : " with the launch\n");
    }
}
