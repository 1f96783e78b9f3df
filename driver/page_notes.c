/* page_notes.c -- what is known of each line of the source, as marks and sentences. */
#include <stdlib.h>
#include <string.h>

#include "driver/page.h"
#include "sema/races/races.h"

const char *const page_slots[SLOT__COUNT] = {
    [SLOT_COPIES] = "copies",  [SLOT_BOUNDS] = "checks", [SLOT_RACES] = "races",
    [SLOT_VECTOR] = "vectors", [SLOT_MEMORY] = "memory", [SLOT_BRANCHES] = "branches"};
const char *const page_levels[NOTE__COUNT] = {
    [NOTE_GOOD] = "good", [NOTE_PLAIN] = "plain", [NOTE_SLOW] = "slow", [NOTE_BAD] = "bad"};

static void add(Page *page, const char *file, int line, PageNote note) {
    note.key = page_key(page, file ? file : "", line);
    for (int i = 0; i < page->notes.n; i++) {
        const PageNote *x = &page->notes.at[i];
        if (x->key == note.key && x->slot == note.slot && !strcmp(x->text, note.text)) return;
    }
    note.order = page->notes.n;
    if (note.key) vec_push(page->arena, &page->notes, note);
}

/* Copies ----------------------------------------------------------------------------------------------------------- */

static const char *arrow(const char *moves) {
    if (!strcmp(moves, "to")) return "↑";
    if (!strcmp(moves, "from") || !strcmp(moves, "part") || !strcmp(moves, "element")) return "↓";
    return !strcmp(moves, "tofrom") || !strcmp(moves, "parts") ? "↕" : "·";
}

static void add_transfers(Page *page) {
    for (int i = 0; i < page->transfers.n; i++) {
        const TransferNote *n = &page->transfers.at[i];
        PageNote note = {.slot = SLOT_COPIES, .level = NOTE_PLAIN, .mark = arrow(n->moves)};
        if (n->is_checks || n->is_value) note.mark = "·"; /* some bytes */
        if (!strcmp(note.mark, "·")) note.level = NOTE_GOOD;
        if (n->launch)
            note.text = arena_printf(page->arena, "launch of `%s`: `%s%s%s`: %s%s%s; %s", n->kernel, n->mode,
                                     *n->mode ? " " : "", n->array, n->moves, *n->bytes ? ", bytes: " : "", n->bytes,
                                     n->why);
        else note.text = arena_printf(page->arena, "the host %ss `%s`: %s", n->mode, n->array, n->why);
        add(page, n->file, n->line, note);
    }
}

/* Bounds and races ------------------------------------------------------------------------------------------------- */

static void add_checks(Page *page) {
    for (int i = 0; i < page->checks.n; i++) {
        const CheckNote *n = &page->checks.at[i];
        PageNote note = {.slot = SLOT_BOUNDS};
        const char *what = NULL;
        switch (n->fate) {
        case CHECK_KEPT: note.level = NOTE_SLOW, note.mark = "!", what = "checked at run time: "; break;
        case CHECK_HOISTED: note.level = NOTE_PLAIN, note.mark = "1", what = "checked at run time: "; break;
        case CHECK_PROVEN: note.mark = "✓", what = "proven, so there is no check"; break;
        case CHECK_PROVEN_BY_CALLERS: note.mark = "✓", what = "proven in every kernel that calls it"; break;
        }
        note.text = arena_printf(page->arena, "%s `%s`: %s%s", n->kind, n->text, what, n->why ? n->why : "");
        add(page, n->file, n->line, note);
    }
}

static const char *values_text(Arena *arena, const RaceValues *v) {
    const char *text = "";
    for (int i = 0; i < v->n; i++)
        text = arena_printf(arena, "%s%s%s%s%lld", text, i ? ", " : "", v->at[i].name ? v->at[i].name : "",
                            v->at[i].name ? " = " : "", (long long)v->at[i].value);
    return text;
}

static const char *witness_text(Arena *arena, const RacePair *r) {
    const RaceWitness *w = &r->witness;
    const char *when = w->sizes.n ? arena_printf(arena, " when %s", values_text(arena, &w->sizes)) : "";
    const char *element = w->is_symbolic ? r->text[0] : r->array->name;
    if (!w->is_symbolic && w->element.n)
        element = arena_printf(arena, "%s[%s]", element, values_text(arena, &w->element));
    return arena_printf(arena, ": work items (%s) and (%s) touch `%s`%s", values_text(arena, &w->items[0]),
                        values_text(arena, &w->items[1]), element, when);
}

static PageNote note_of_pair(Page *page, const RacePair *r, int k, int other_line) {
    static const PageLevel levels[] = {NOTE_GOOD, NOTE_SLOW, NOTE_PLAIN, NOTE_BAD};
    static const char *const marks[] = {"✓", "?", "~", "✗"};
    PageNote note = {.slot = SLOT_RACES, .level = levels[r->verdict], .mark = marks[r->verdict]};
    const char *why = r->verdict >= RACE_BENIGN ? witness_text(page->arena, r)
                      : r->reason ? arena_printf(page->arena, ": %s", r->reason) : "";
    bool is_one = r->at[0].lo == r->at[1].lo;
    const char *other = is_one ? "of two work items"
                               : arena_printf(page->arena, "and `%s` (%s) in line %d", r->text[!k], r->mode[!k],
                                              other_line);
    note.text = arena_printf(page->arena, "`%s` (%s) %s: %s%s", r->text[k], r->mode[k], other,
                             race_verdicts[r->verdict], why);
    return note;
}

static void add_pair(Page *page, const RacePair *r) {
    Place at[2];
    for (int k = 0; k < 2; k++) at[k] = source_place(&page->c->sources, r->at[k].lo);
    for (int k = 0; k < 2 && at[0].file && at[1].file; k++)
        if (!k || r->at[0].lo != r->at[1].lo)
            add(page, at[k].file->path, at[k].line, note_of_pair(page, r, k, at[!k].line));
}

static void add_races(Page *page) {
    for (int i = 0; i < page->p->funcs.n; i++) {
        const Func *f = page->p->funcs.at[i];
        Place at = source_place(&page->c->sources, f->name_span.lo);
        if (!f->races || !at.file) continue;
        if (f->races->failed)
            add(page, at.file->path, at.line,
                (PageNote){.slot = SLOT_RACES, .level = NOTE_SLOW, .mark = "?",
                           .text = arena_printf(page->arena, "not analysed for races: %s", f->races->failed)});
        for (int k = 0; k < f->races->pairs.n; k++) add_pair(page, &f->races->pairs.at[k]);
    }
}

/* Vector code ------------------------------------------------------------------------------------------------------ */

static int line_of_kernel(const Page *page, const char *name, const char **file) {
    for (int i = 0; i < page->kernels.n; i++) {
        *file = page->kernels.at[i].file;
        if (!strcmp(page->kernels.at[i].kernel, name)) return page->kernels.at[i].line;
    }
    return 0;
}

static const char *nest_text(Page *page, const VectorNest *n) {
    Arena *arena = page->arena;
    const char *text = "not vectorised";
    if (n->is_vector) text = arena_printf(arena, "work items from here: %d lanes", n->lanes);
    if (n->vectors > 1) text = arena_printf(arena, "%s, %d vectors at a time", text, n->vectors);
    if (n->rows > 1) text = arena_printf(arena, "%s, of %d rows", text, n->rows);
    if (n->is_unrolled) text = arena_printf(arena, "%s, unrolled", text);
    for (int i = 0; i < n->head.n; i++) text = arena_printf(arena, "%s; %s", text, n->head.at[i].text);
    return arena_printf(arena, "`%s`: %s", n->kernel, text);
}

static bool is_mild(const char *kind) {
    static const char *const mild[] = {"edge branch", "prefetch", "interleaved", "strided", "index", NULL};
    for (int i = 0; mild[i]; i++)
        if (!strcmp(mild[i], kind)) return true;
    return false;
}

static void add_vector(Page *page) {
    for (int i = 0; i < page->vector->nests.n; i++) {
        const VectorNest *n = &page->vector->nests.at[i];
        const char *file = n->file;
        int line = n->line ? n->line : line_of_kernel(page, n->kernel, &file);
        PageNote note = {.slot = SLOT_VECTOR, .level = n->is_vector ? NOTE_PLAIN : NOTE_SLOW, .mark = "1"};
        if (n->is_vector) note.mark = arena_printf(page->arena, "%d", n->lanes);
        note.text = nest_text(page, n);
        add(page, file, line, note);
        for (int k = 0; k < n->remarks.n; k++) {
            const VectorRemark *r = &n->remarks.at[k];
            note = (PageNote){.slot = SLOT_VECTOR, .text = r->text};
            note.level = is_mild(r->kind) ? NOTE_PLAIN : NOTE_SLOW;
            note.mark = note.level == NOTE_PLAIN ? "·" : r->is_scalar ? "1" : "!";
            add(page, r->file ? r->file : file, r->file ? r->line : line, note);
        }
    }
}

/* GPUs ------------------------------------------------------------------------------------------------------------- */

static void add_access(Page *page, const LaunchAccessNote *x) {
    bool is_shared = !strcmp(x->memory, "shared");
    PageNote note = {.slot = SLOT_MEMORY, .mark = "?", .level = NOTE_SLOW};
    if (!is_shared && strcmp(x->memory, "global")) return; /* private, constant */
    if (x->known && is_shared) {
        note.level = x->ways > 1 ? NOTE_SLOW : NOTE_GOOD;
        note.mark = x->ways > 1 ? arena_printf(page->arena, "%d×", x->ways) : "✓";
    } else if (x->known) {
        note.level = x->sectors > x->least ? NOTE_SLOW : NOTE_GOOD;
        note.mark = arena_printf(page->arena, "%d", x->sectors);
    }
    note.text = arena_printf(page->arena, "%s `%s`, a warp of a GPU: %s%s; %s%s%s", x->mode, x->text,
                             is_shared ? "shared memory, " : "", x->steps, x->cost, x->advice ? "; " : "",
                             x->advice ? x->advice : "");
    add(page, x->file, x->line, note);
}

static void add_needs(Page *page, const LaunchKernel *k) {
    Arena *arena = page->arena;
    for (int i = 0; i < k->needs.n; i++) {
        const LaunchNeeds *d = &k->needs.at[i];
        const char *registers = !d->known ? "registers unknown"
                                : d->is_amd ? arena_printf(arena, "%d vector and %d scalar registers", d->registers,
                                                           d->scalars)
                                            : arena_printf(arena, "%d registers", d->registers);
        const char *spilled = d->spilled ? arena_printf(arena, ", %d bytes spilled", d->spilled) : "";
        int percent = d->has_occupancy ? 100 * d->threads / d->most_threads : 0;
        const char *limit = d->has_occupancy ? arena_printf(arena, ", occupancy %s%d %%, limited by %s",
                                                            d->known ? "" : "at most ", percent, d->limit) : "";
        PageNote note = {.slot = SLOT_MEMORY, .level = d->spilled ? NOTE_SLOW : NOTE_PLAIN, .mark = "·"};
        note.text = arena_printf(arena, "`%s` on %s: %s%s%s; blocks: `%s`", k->kernel, d->arch, registers, spilled,
                                 limit, k->blocks);
        add(page, k->file, k->line, note);
    }
}

static void add_launches(Page *page) {
    for (int i = 0; i < page->kernels.n; i++) {
        const LaunchKernel *k = &page->kernels.at[i];
        add_needs(page, k);
        for (int a = 0; a < k->accesses.n; a++) add_access(page, &k->accesses.at[a]);
        for (int b = 0; b < k->branches.n; b++) {
            const LaunchBranchNote *x = &k->branches.at[b];
            PageNote note = {.slot = SLOT_BRANCHES, .mark = x->is_loop ? "↻" : "Y"};
            note.level = x->only_edges || x->each_group ? NOTE_PLAIN : NOTE_SLOW;
            note.text = arena_printf(page->arena, "%s `%s` diverges within a warp: %s%s", x->is_loop ? "loop" : "if",
                                     x->text, launch_branch_text(x),
                                     x->from_memory ? "; it depends on values from memory" : "");
            add(page, x->file, x->line, note);
        }
    }
}

static int compare(const void *a, const void *b) {
    const PageNote *x = a, *y = b;
    if (x->key != y->key) return x->key < y->key ? -1 : 1;
    if (x->slot != y->slot) return x->slot < y->slot ? -1 : 1;
    if (x->level != y->level) return x->level > y->level ? -1 : 1;
    return x->order - y->order;
}

void page_collect(Page *page) {
    add_transfers(page);
    add_checks(page);
    add_races(page);
    add_vector(page);
    add_launches(page);
    if (page->notes.n) qsort(page->notes.at, (size_t)page->notes.n, sizeof *page->notes.at, compare);
}
