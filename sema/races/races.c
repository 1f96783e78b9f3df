/* races.c -- the race analysis of one kernel, and the door of this room. Where products of sizes are in the way of an
 * answer, small sizes are tried, for which they are affine. */
#include "sema/memo.h"
#include "sema/races/pairs.h"

#include <isl/ctx.h>
#include <time.h>

enum {
    MAX_WALK_OPERATIONS = 100000, /* of isl, for a walk */
    MAX_TRIED = 80000,            /* for a kernel, before sizes are tried */
    MAX_SPENT = 4000000,          /* for all kernels of a program: some seconds */
};

/* before: an analysis that knew less, whose pairs that are free are not compared again; or NULL */
static RaceTable *analyse_as(Sema *s, const Walk *how, const RaceTable *before) {
    RaceTable *table = arena_new(s->arena, RaceTable);
    if (s->races_spent >= MAX_SPENT) {
        table->failed = "the program has too many accesses to compare";
        return table;
    }
    Walk w = *how;
    w.s = s;
    space_begin(&w.space, MAX_WALK_OPERATIONS);
    walk_kernel(&w);
    bool ended = isl_ctx_last_error(w.space.q.ctx) == isl_error_quota; /* accesses may be missing */
    s->races_spent += space_spent(&w.space, MAX_WALK_OPERATIONS);
    if (w.failed || ended) table->failed = "it is too large";
    else races_judge(&w, table, before);
    space_end(&w.space);
    return table;
}

static RaceTable *analyse(Sema *s, const Func *kernel, const int64_t *given, bool launched, const RaceTable *before) {
    return analyse_as(s, &(Walk){.kernel = kernel, .given = given, .launched = launched}, before);
}

static bool needs_sizes(const RaceTable *t) {
    for (int i = 0; i < t->pairs.n; i++)
        if (t->pairs.at[i].needs_sizes && t->pairs.at[i].verdict == RACE_UNKNOWN) return true;
    return false;
}

static void adopt(RaceTable *to, const RaceTable *from) {
    for (int i = 0; i < to->pairs.n; i++) {
        RacePair *p = &to->pairs.at[i];
        if (!p->needs_sizes || p->verdict != RACE_UNKNOWN) continue;
        for (int k = 0; k < from->pairs.n; k++) {
            const RacePair *q = &from->pairs.at[k];
            if (races_same_pair(p, q) && q->verdict >= RACE_BENIGN) *p = *q;
        }
    }
}

static void try_sizes(Sema *s, const Func *kernel, RaceTable *table) {
    static const int64_t tried[] = {2, 3, 4};
    unsigned long begun = s->races_spent;
    for (int t = 0; t < 3 && needs_sizes(table) && s->races_spent - begun < MAX_TRIED; t++) {
        int n = kernel->sizes.n, n_all = n + kernel->params.n;
        int64_t *given = arena_array(s->arena, int64_t, n_all + 1);
        for (int i = 0; i < n_all; i++) given[i] = i < n ? tried[t] : LAUNCH_OPEN;
        adopt(table, analyse(s, kernel, given, false, table));
    }
}

static RacePair *same_pair(const RaceTable *t, const RacePair *p) {
    for (int i = 0; i < t->pairs.n; i++)
        if (races_same_pair(&t->pairs.at[i], p)) return &t->pairs.at[i];
    return NULL;
}

static bool has_unknown(const RaceTable *t) {
    for (int i = 0; i < t->pairs.n; i++)
        if (t->pairs.at[i].verdict == RACE_UNKNOWN) return true;
    return false;
}

/* One launch whose integers are known decides about what is open for some values: a race there is one. What is free at
 * every launch that there is is free. */
static void try_launches(Sema *s, const Func *kernel, RaceTable *table) {
    const LaunchValues *all = kernel->facts->values;
    unsigned long begun = s->races_spent;
    bool complete = all && !all->is_partial && !s->launches_missed && launched_any(kernel);
    int n = all ? all->at.n : 0, tried = 0;
    bool *may_race = arena_array(s->arena, bool, table->pairs.n + 1);
    for (; tried < n && has_unknown(table) && s->races_spent - begun < MAX_TRIED; tried++) {
        const RaceTable *there = analyse(s, kernel, all->at.at[tried].value, false, table);
        for (int i = 0; i < table->pairs.n; i++) {
            RacePair *p = &table->pairs.at[i];
            const RacePair *q = there->failed ? p : same_pair(there, p);
            if (p->verdict != RACE_UNKNOWN || !q || q->verdict == RACE_FREE) continue;
            may_race[i] = true;
            if (q->verdict < RACE_BENIGN) continue;
            *p = *q;
            p->launch = all->at.at[tried].at;
        }
    }
    for (int i = 0; i < table->pairs.n && complete && tried == n; i++) {
        RacePair *p = &table->pairs.at[i];
        if (p->verdict != RACE_UNKNOWN || may_race[i]) continue;
        p->verdict = RACE_FREE;
        p->reason = "free for the launches of this program";
    }
}

static bool has_open(const RaceTable *t) {
    for (int i = 0; i < t->pairs.n; i++)
        if (t->pairs.at[i].verdict != RACE_FREE) return true;
    return false;
}

/* What the launches of the program have in common decides about pairs that are not free for all sizes. */
static void heed_launches(Sema *s, const Func *kernel, RaceTable *table) {
    const RaceTable *there = analyse(s, kernel, NULL, true, table);
    for (int i = 0; i < table->pairs.n && !there->failed; i++) {
        RacePair *p = &table->pairs.at[i];
        if (p->verdict == RACE_FREE) continue;
        bool found = false;
        for (int k = 0; k < there->pairs.n; k++) {
            const RacePair *q = &there->pairs.at[k];
            if (!races_same_pair(p, q)) continue;
            found = true;
            bool keeps = q->verdict >= RACE_BENIGN && p->verdict >= RACE_BENIGN; /* its sizes are the smallest ones */
            if (!keeps) *p = *q;
            if (q->verdict == RACE_FREE) p->reason = "free for the launches of this program";
        }
        if (found) continue;
        p->verdict = RACE_FREE; /* no launch comes there: their domains are empty, or a condition never holds */
        p->reason = "not executed by the launches of this program";
    }
}

static void believe(Sema *s, const Func *kernel, RaceTable *table) {
    Walk how = {.kernel = kernel, .launched = launched_any(kernel), .assuming = true};
    const RaceTable *there = analyse_as(s, &how, table);
    for (int i = 0; i < table->pairs.n && !there->failed; i++) {
        RacePair *p = &table->pairs.at[i];
        for (int k = 0; k < there->pairs.n && p->verdict == RACE_UNKNOWN; k++) {
            if (!races_same_pair(p, &there->pairs.at[k]) || there->pairs.at[k].verdict != RACE_FREE) continue;
            p->verdict = RACE_FREE;
            p->is_assumed = true;
            p->reason = "free if the assumptions of the kernel hold";
        }
    }
}

/* *always_free: it has no race, whatever the launches are. */
static RaceTable *decide(Sema *s, const Func *f, bool *always_free) {
    RaceTable *t = analyse(s, f, NULL, false, NULL);
    *always_free = !t->failed && !has_open(t);
    if (!t->failed && has_open(t) && launched_any(f)) heed_launches(s, f, t);
    if (f->item->fn.assumes.n && !t->failed && has_open(t)) believe(s, f, t);
    if (!t->failed && has_unknown(t)) try_launches(s, f, t);
    if (needs_sizes(t)) try_sizes(s, f, t);
    return t;
}

bool races_cured(Sema *s, const Func *kernel, const RacePair *p) {
    bool always_free;
    const RaceTable *t = decide(s, kernel, &always_free);
    for (int i = 0; i < t->pairs.n; i++)
        if (races_same_pair(&t->pairs.at[i], p)) return t->pairs.at[i].verdict == RACE_FREE;
    return !t->failed;
}

static double now_ms(void) {
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

/* --check=race reports races itself, where they happen. */
static unsigned shadowed(const Sema *s) { return s->options ? s->options->shadow & SHADOW_RACE : 0; }

void races_find(Sema *s, Func *f) {
    if (!f->is_kernel || !f->item || !f->item->fn.body || f->facts->skip || f->is_made) return;
    if (s->options && s->options->races_off && !s->options->races_listed && !shadowed(s)) return;
    if (memo_find(s, f, "free of races", 0)) return;
    double begun = now_ms();
    unsigned long before = s->races_spent;
    bool always_free;
    f->races = decide(s, f, &always_free);
    if (always_free) memo_add(s, f, "free of races", 0, "");
    if (s->options && s->options->races_timed) f->races->ms = now_ms() - begun;
    f->races->steps = s->races_spent - before;
}

static bool is_silent(const Sema *s) {
    return s->options && (s->options->races_listed || s->options->races_off || shadowed(s));
}

bool races_are_error(const Sema *s, const Func *f) {
    if (!f->races || is_silent(s)) return false;
    bool is_error = false;
    for (int i = 0; i < f->races->pairs.n; i++) is_error = is_error || f->races->pairs.at[i].verdict == RACE_FOUND;
    return is_error;
}

void races_tell(Sema *s, Func *f) {
    if (f->races && !is_silent(s)) races_report(s, f, f->races);
}
