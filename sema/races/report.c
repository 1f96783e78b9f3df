/* report.c -- races as diagnostics. */
#include <string.h>

#include "sema/races/pairs.h"

enum { MAX_REPORTS = 3 }; /* for one kernel */

static int line_of(Compiler *c, Span at) { return source_place(&c->sources, at.lo).line; }

static const char *verb(const RacePair *p, int k) {
    if (!strcmp(p->mode[k], "read")) return "reads";
    if (!strcmp(p->mode[k], "write")) return "writes";
    return strcmp(p->mode[k], "atomic") ? "updates" : "updates atomically";
}

/* What to do ------------------------------------------------------------------------------------------------------- */

static bool has_atomic(const Stmt *st, const Type *t) {
    if (t->kind == TY_BOOL || t->kind == TY_F16 || t->kind == TY_BF16 || type_is_parts(t)) return false;
    if (st->assign.is_min || st->assign.is_max) return true;
    Op op = st->assign.op;
    return op == OP_ADD || op == OP_SUB || (t->is_int && (op == OP_BIT_AND || op == OP_BIT_OR || op == OP_BIT_XOR));
}

static void remedy(Sema *s, Diag *d, const RacePair *p, Span at) {
    Compiler *c = s->c;
    bool updates = !strcmp(p->mode[0], "update") && !strcmp(p->mode[1], "update");
    bool atomic = false;
    for (int k = 0; k < 2; k++) {
        const Stmt *st = p->assign[k];
        if (strcmp(p->mode[k], "update") || !st || !has_atomic(st, st->assign.target->type)) continue;
        if (!updates && strcmp(p->mode[!k], "atomic")) continue;
        if (!k || p->at[0].lo != p->at[1].lo) fix_insert(s, d, p->at[k].lo, "atomic ", "make the update atomic");
        atomic = true;
    }
    if (atomic) {
        if (p->is_same_element)
            diag_note(c, d, at,
                      "to combine the values of the work items, give the kernel a result, as in `-> sum f32`");
        return;
    }
    if (p->is_group)
        diag_note(c, d, at,
                  "put a `barrier;` between the two accesses: every work item of the group waits there for the "
                  "others");
    else if (p->at[0].lo == p->at[1].lo)
        diag_note(c, d, at, "let each work item write elements of its own, or change the domain");
    else diag_note(c, d, at, "write to a second array, so that no work item reads what another one writes");
}

static void note_sizes(Compiler *c, Diag *d, Arena *arena, const RacePair *p, Span at) {
    if (p->witness.sizes.n) diag_note(c, d, at, "for example when %s", races_values(arena, &p->witness.sizes));
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

/* The access that is named first: a write that a loop or another work item runs into. */
static void report(Sema *s, RacePair *p) {
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
        diag_note(c, d, p->at[0], "if that is intended, write `atomic` before the assignment");
        return;
    }
    bool twice = p->at[0].lo == p->at[1].lo && !strcmp(p->mode[0], p->mode[1]);
    int one = line_of(c, p->at[0]), two = line_of(c, p->at[1]);
    const char *how = twice ? arena_printf(arena, "line %d %s it", one, verb(p, 0))
                            : arena_printf(arena, "line %d %s, line %d %s", one, verb(p, 0), two, verb(p, 1));
    Diag *d = diag(c, E0530, p->at[k], "data race: work items %s both touch `%s`: %s", items, element, how);
    if (!twice)
        diag_note(c, d, p->at[!k], "the other access: work item %s %s `%s`", races_values(arena, &p->witness.items[!k]),
                  verb(p, !k), element);
    if (p->holes)
        diag_note(c, d, p->at[k], "whatever the data: of %lld work items, two have the same element",
                  (long long)p->holes + 1);
    else note_sizes(c, d, arena, p, p->at[k]);
    remedy(s, d, p, p->at[k]);
}

static int severity(const RacePair *p) { return p->verdict >= RACE_BENIGN ? (int)p->verdict : 0; }

void races_report(Sema *s, const Func *kernel, RaceTable *table) {
    bool strict = s->options && s->options->races_strict;
    int n = 0;
    for (int level = RACE_FOUND; level >= RACE_BENIGN; level--)
        for (int i = 0; i < table->pairs.n && n < MAX_REPORTS; i++) {
            if (severity(&table->pairs.at[i]) != level) continue;
            report(s, &table->pairs.at[i]);
            n++;
        }
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
