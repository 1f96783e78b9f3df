/* launch.c -- `offload k(...)`: the work items run one after another, in the order of the domain or, with a seed, in a
 * different one. Host and device share one memory; an asynchronous launch has finished when it returns. */
#include <stdlib.h>
#include <string.h>

#include "interp/run.h"

/* What items print --------------------------------------------------------------------------------------------- */

typedef struct Line {
    int64_t at[3], number;
    char *text;
} Line;

void interp_item_prints(Frame *f, char *text) {
    Launch *l = f->item->launch;
    if (l->n_lines == l->cap_lines) {
        l->cap_lines = l->cap_lines * 2 + 16;
        l->lines = realloc(l->lines, (size_t)l->cap_lines * sizeof *l->lines);
        if (!l->lines) abort();
    }
    Line *line = &l->lines[l->n_lines];
    *line = (Line){.number = l->n_lines++, .text = text};
    memcpy(line->at, f->item->at, sizeof line->at);
}

/* By work item, and those of one item in the order in which it printed. */
static int by_item(const void *a, const void *b) {
    const Line *x = a, *y = b;
    for (int i = 0; i < 3; i++)
        if (x->at[i] != y->at[i]) return x->at[i] < y->at[i] ? -1 : 1;
    return x->number < y->number ? -1 : 1;
}

static const char *position_text(Launch *l, const int64_t *at, const char *begin, const char *end) {
    Arena *arena = &l->run->c->arena;
    const char *text = begin;
    for (int d = 0; d < l->kernel->domain.n; d++) {
        const char *name = l->kernel->domain.at[d]->name;
        text = arena_printf(arena, "%s%s%s = %lld", text, d ? ", " : "", name, (long long)at[d]);
    }
    return arena_printf(arena, "%s%s", text, end);
}

const char *interp_item_text(Frame *f) {
    if (!f->item) return "";
    Launch *l = f->item->launch;
    return arena_printf(&l->run->c->arena, FAILURE_ITEM, position_text(l, f->item->at, "", ""), l->kernel->name);
}

void interp_flush_prints(Launch *l) {
    if (l->n_lines) qsort(l->lines, (size_t)l->n_lines, sizeof *l->lines, by_item);
    for (int64_t i = 0; i < l->n_lines; i++) {
        interp_print_line(position_text(l, l->lines[i].at, "[", "] "), l->lines[i].text);
        free(l->lines[i].text);
    }
    free(l->lines);
    l->lines = NULL;
    l->n_lines = l->cap_lines = 0;
}

/* Work items --------------------------------------------------------------------------------------------------- */

/* A frame of an item begins with what the launch knows: parameters and sizes. */
void interp_item_begin(Frame *f, Launch *l, Slot *slots, WorkItem *item) {
    interp_frame_begin(f, l->run, l->kernel, slots, item);
    for (int i = 0; i < l->kernel->n_symbols; i++) slots[i].at = l->frame->slots[i].at;
    *item = (WorkItem){.launch = l};
}

void interp_item_goes_to(Frame *f, int axis, int64_t k) {
    const Launch *l = f->item->launch;
    const Symbol *sym = l->kernel->domain.at[axis];
    f->item->at[axis] = interp_axis_at(&l->axes[axis], k);
    interp_store(sym->type, interp_declare(f, sym), const_int(f->item->at[axis]));
}

static int64_t common_divisor(int64_t a, int64_t b) { return b ? common_divisor(b, a % b) : a; }

Order interp_order(Run *r, int64_t n) {
    Order o = {.n = n, .by = 1};
    if (!r->options.seed || n < 2) return o;
    o.first = (int64_t)(interp_random(r) % (uint64_t)n);
    do o.by = (int64_t)(interp_random(r) % (uint64_t)n);
    while (common_divisor(o.by, n) != 1);
    return o;
}

int64_t interp_in_order(const Order *o, int64_t i) {
    return (int64_t)(((__int128)o->by * i + o->first) % o->n);
}

static void run_items(Launch *l) {
    Slot slots[l->kernel->n_symbols + 1];
    Frame f;
    WorkItem item;
    interp_item_begin(&f, l, slots, &item);
    Order order = interp_order(l->run, l->n_items);
    for (int64_t i = 0; i < l->n_items; i++) {
        int64_t number = interp_in_order(&order, i), rest = number;
        for (int d = l->kernel->domain.n; d-- > 0; rest /= l->trips[d]) interp_item_goes_to(&f, d, rest % l->trips[d]);
        f.result = l->values ? l->values + number * l->value_bytes : NULL;
        interp_block(&f, l->kernel->item->fn.body);
    }
    interp_frame_end(&f);
}

/* The launch --------------------------------------------------------------------------------------------------- */

static void choose_device(Frame *f, Expr *device) {
    if (!device) return;
    long long d = interp_index(f, device);
    if (d < 0 || d >= INTERP_DEVICES)
        interp_fail(f, device->span, FAILURE_DEVICE, d, INTERP_DEVICES);
}

/* Groups may hang over the end; their last positions still have to be numbers of the type. */
static bool is_far_away(const Axis *a, int64_t hi, int64_t by) {
    const __int128 far = (__int128)1 << 62;
    __int128 over = a->step * by < far ? a->step * by : far;
    return hi > far - over || a->lo < -far;
}

static void check_countable(Frame *f, Launch *l, Span span) {
    const Func *k = l->kernel;
    int n = k->domain.n;
    double product = 1;
    bool too_many = false;
    for (int d = 0; d < n; d++) {
        product *= (double)l->trips[d];
        int64_t hi = k->group.items ? interp_index(l->frame, k->item->fn.over.at[d].range.hi) : 0;
        too_many |= k->group.items && is_far_away(&l->axes[d], hi, k->group.by[d]);
    }
    if ((n < 2 && !k->group.items) || (product < 0x1p63 && !too_many)) return;
    const char *text = "";
    for (int d = 0; d < n; d++)
        text = arena_printf(&f->run->c->arena, "%s%s%lld", text, d ? " x " : "", (long long)l->trips[d]);
    interp_fail(f, span, FAILURE_DOMAIN, k->name, text);
}

static int64_t items_that_run(const Launch *l) {
    int64_t n = 1;
    for (int d = 0; d < l->kernel->domain.n; d++) {
        int64_t by = l->kernel->group.items ? l->kernel->group.by[d] : 1;
        n *= (l->trips[d] + by - 1) / by * by;
    }
    return n;
}

/* Memory for the kernel alone, in which there is nothing. */
static void make_workspaces(Launch *l, Array *arrays) {
    Frame *f = l->frame;
    for (int i = l->kernel->n_given; i < l->kernel->params.n; i++) {
        const Symbol *p = l->kernel->params.at[i];
        int64_t ext[MAX_RANK];
        for (int d = 0; d < p->type->rank; d++) {
            const Extent *x = &l->kernel->shapes.at[i].at[d];
            ext[d] = x->value;
            if (x->kind != EXTENT_CONST) ext[d] += interp_load(x->size->type, f->slots[x->size->id].at).i;
        }
        arrays[i] = interp_array_new(f, p->type, ext, p->span);
        interp_poison(arrays[i].data, interp_bytes(p->type, &arrays[i]));
        f->slots[p->id].at = &arrays[i];
    }
}

/* What is not copied to the device is not there: sema has found that the kernel writes all of it. */
static void poison_results(Launch *l) {
    for (int i = 0; i < l->kernel->n_given; i++) {
        const Symbol *p = l->kernel->params.at[i];
        void *at = l->frame->slots[p->id].at;
        if (p->mode == REF_NONE || l->kernel->transfers.at[i] != TRANSFER_FROM) continue;
        if (p->type->kind == TY_ARRAY) interp_poison(((Array *)at)->data, interp_bytes(p->type, at));
        else interp_poison(at, interp_size(p->type));
    }
}

static void make_values(Frame *f, Launch *l, Span span) {
    const Func *k = l->kernel;
    const Type *t = k->item_result;
    l->value_bytes = type_size_bytes(t);
    l->values = malloc((size_t)(l->n_items * l->value_bytes));
    if (!l->values) interp_unsupported(f, span, "this reduces %lld values", (long long)l->n_items);
    Reduction r = k->reduction == REDUCE_COUNT ? REDUCE_ANY : k->reduction; /* its items are bools */
    for (int64_t i = 0; i < l->n_items; i++) interp_store(t, l->values + i * l->value_bytes, interp_identity(r, t));
}

static Const run(Frame *f, Launch *l, Array *arrays, Span span) {
    enum { MOST_ITEMS = 1 << 28 };
    const Func *k = l->kernel;
    bool empty = false;
    for (int d = 0; d < k->domain.n; d++) empty |= l->trips[d] == 0;
    if (empty) return k->reduction ? interp_identity(k->reduction, k->result) : (Const){0};
    l->n_items = items_that_run(l);
    if (l->n_items > MOST_ITEMS) interp_unsupported(f, span, "this launches %lld work items", (long long)l->n_items);
    make_workspaces(l, arrays);
    poison_results(l);
    if (k->reduction) make_values(f, l, span);
    if (k->group.items) interp_groups(l);
    else run_items(l);
    interp_flush_prints(l);
    for (int i = k->n_given; i < k->params.n; i++) interp_array_free(&arrays[i]);
    if (!k->reduction) return (Const){0};
    Const v = interp_reduce(k, l->values, l->n_items);
    free(l->values);
    return v;
}

void interp_launch(Frame *f, Expr *e, void *to) {
    const Func *k = e->offload.call->call.info->func;
    Slot slots[k->n_symbols + 1];
    Array arrays[k->params.n + 1];
    Frame frame;
    Launch l = {.run = f->run, .kernel = k, .frame = &frame};
    choose_device(f, e->offload.device);
    interp_frame_begin(&frame, f->run, k, slots, NULL);
    interp_bind(f, &frame, e->offload.call, arrays, e->span);
    for (int d = 0; d < k->domain.n; d++) {
        l.axes[d] = interp_axis(&frame, &k->item->fn.over.at[d].range);
        l.trips[d] = l.axes[d].trips;
    }
    check_countable(f, &l, e->span);
    bool is_noted = !interp_is_in_library(f->run, e->span);
    if (is_noted) f->run->called = e->span;
    Const v = run(f, &l, arrays, e->span);
    if (is_noted) f->run->called = (Span){0};
    if (k->reduction) interp_store(k->result, to, v);
    interp_frame_end(&frame);
}
