/* report.c -- races as diagnostics. */
#include <string.h>

#include "sema/races/pairs.h"

enum { MAX_REPORTS = 3 /* for one kernel */ };

static int line_of(Compiler *c, Span at) { return source_place(&c->sources, at.lo).line; }

static const char *verb(const RacePair *p, int k) {
    if (!strcmp(p->mode[k], "read")) return "reads";
    if (!strcmp(p->mode[k], "write")) return "writes";
    return strcmp(p->mode[k], "atomic") ? "updates" : "updates atomically";
}

static void note_sizes(Compiler *c, Diag *d, Arena *arena, const RacePair *p, Span at) {
    if (!p->witness.sizes.n) return;
    const char *when = races_values(arena, &p->witness.sizes);
    if (p->launch.hi) diag_note(c, d, p->launch, "for example at this launch, where %s", when);
    else diag_note(c, d, at, "for example when %s", when);
}

/* E0513 has said it, here or at the call. */
static bool is_reported(Sema *s, Span at, Span call) {
    for (int i = 0; i < s->c->diags.list.n; i++) {
        const Diag *d = s->c->diags.list.at[i];
        if (d->code != E0513) continue;
        if ((d->span.lo <= at.lo && at.hi <= d->span.hi) || (call.hi && d->span.lo == call.lo)) return true;
    }
    return false;
}

/* Is the race between the same two elements, accessed in another way? Where an array is reversed in place, each of two
 * work items reads and writes what the other one does. */
static bool is_mirrored(Sema *s, const RacePair *p, const RacePair *q) {
    if (p->is_group || p->array != q->array || races_same_text(s, p->at[0], p->at[1])) return false;
    for (int k = 0; k < 2; k++)
        if (p->call[k].hi || q->call[k].hi) return false;
    for (int turned = 0; turned < 2; turned++) {
        bool same = races_same_text(s, p->at[0], q->at[turned]) && races_same_text(s, p->at[1], q->at[!turned]);
        bool in_the_same_way = !strcmp(p->mode[0], q->mode[turned]) && !strcmp(p->mode[1], q->mode[!turned]);
        if (same && !in_the_same_way) return true;
    }
    return false;
}

/* The access that is named first: a write that a loop or another work item runs into. */
static void report(Sema *s, Func *kernel, RacePair *p, bool exchanges) {
    Compiler *c = s->c;
    Arena *arena = s->arena;
    int k = strcmp(p->mode[0], "read") ? 0 : 1;
    if (is_reported(s, p->at[0], p->call[0]) || is_reported(s, p->at[1], p->call[1])) return;
    const char *items = races_items(arena, &p->witness), *element = races_element(arena, p);
    bool is_value = !p->witness.element.n && !p->witness.is_symbolic; /* `&out T`: the last item's value stays */
    if (p->verdict == RACE_BENIGN && is_value) return;
    if (p->verdict == RACE_BENIGN) {
        Diag *d = diag(c, W0504, p->at[0],
                       "work items %s both write `%s`: a data race, but a benign one, because both "
                       "write the same value",
                       items, element);
        note_sizes(c, d, arena, p, p->at[0]);
        races_remedy_benign(s, d, p);
        return;
    }
    bool twice = p->at[0].lo == p->at[1].lo && !strcmp(p->mode[0], p->mode[1]);
    int one = line_of(c, p->at[0]), two = line_of(c, p->at[1]);
    const char *how = twice ? arena_printf(arena, "line %d %s it", one, verb(p, 0))
                            : arena_printf(arena, "line %d %s, line %d %s", one, verb(p, 0), two, verb(p, 1));
    Diag *d = p->holes ? diag(c, E0530, p->at[k],
                              "data race: at least two of %lld work items touch the same element of `%s`: %s",
                              (long long)p->holes + 1, p->array->name, how)
                       : diag(c, E0530, p->at[k], "data race: work items %s both touch `%s`: %s", items, element, how);
    if (!twice && !p->holes)
        diag_note(c, d, p->at[!k], "the other access: work item %s %s `%s`", races_values(arena, &p->witness.items[!k]),
                  verb(p, !k), element);
    if (p->instead.hi)
        diag_note(c, d, p->instead, "or the same element is accessed here: whatever the data are, one of the two is "
                                    "executed");
    if (p->holes)
        diag_note(c, d, p->at[k], "the index has only %lld values; which items have the same one depends on the data",
                  (long long)p->holes);
    else note_sizes(c, d, arena, p, p->at[k]);
    if (exchanges) races_remedy_exchange(s, kernel, d, p, p->at[k]);
    races_remedy(s, kernel, d, p, p->at[k]);
}

static int severity(const RacePair *p) { return p->verdict >= RACE_BENIGN ? (int)p->verdict : 0; }

void races_report(Sema *s, Func *kernel, RaceTable *table) {
    bool strict = s->options && s->options->races_strict;
    int n = 0;
    for (int level = RACE_FOUND; level >= RACE_BENIGN; level--)
        for (int i = 0; i < table->pairs.n && n < MAX_REPORTS; i++) {
            if (severity(&table->pairs.at[i]) != level) continue;
            bool is_said = false, exchanges = false;
            for (int k = 0; k < table->pairs.n; k++) {
                bool mirrored = severity(&table->pairs.at[k]) == level &&
                                is_mirrored(s, &table->pairs.at[k], &table->pairs.at[i]);
                exchanges = exchanges || mirrored;
                is_said = is_said || (mirrored && k < i);
            }
            if (is_said) continue;
            report(s, kernel, &table->pairs.at[i], exchanges);
            n++;
        }
    if (!strict) races_warn(s, kernel, table, n);
    for (int i = 0; i < table->pairs.n && strict; i++) {
        const RacePair *p = &table->pairs.at[i];
        if (p->verdict == RACE_UNKNOWN)
            diag(s->c, E0531, p->at[0], "cannot prove that no two work items touch the same element of `%s`: %s",
                 p->array->name, p->reason);
    }
    if (table->failed && strict)
        diag(s->c, E0531, kernel->name_span, "cannot prove that `%s` has no data races: %s", kernel->name,
             table->failed);
}
