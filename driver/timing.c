/* timing.c -- see timing.h. Time between two stages is added to the later one, so that the stages sum up to the
 * total. */
#include "driver/timing.h"

#include <time.h>

static double clock_seconds(clockid_t clock) {
    struct timespec now;
    clock_gettime(clock, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

double times_now(void) { return clock_seconds(CLOCK_MONOTONIC); }

void times_start(Times *t) {
    *t = (Times){.load = clock_seconds(CLOCK_PROCESS_CPUTIME_ID)};
    t->started = t->last = clock_seconds(CLOCK_MONOTONIC);
}

static void add_row(Times *t, const char *stage, const char *part, double seconds) {
    if (t->n == TIMES_MAX) return;
    t->at[t->n].stage = stage;
    t->at[t->n].part = part;
    t->at[t->n++].seconds = seconds;
}

void times_stage(Times *t, const char *stage) {
    double now = clock_seconds(CLOCK_MONOTONIC);
    add_row(t, stage, NULL, now - t->last);
    t->last = now;
}

void times_part(Times *t, const char *stage, const char *part, double seconds) { add_row(t, stage, part, seconds); }

void times_print(const Times *t, FILE *out) {
    double total = t->load + t->last - t->started;
    fprintf(out, "%-28s %9s %6s\n%-28s %9.3f %5.1f%%\n", "stage", "ms", "", "load kdslc", t->load * 1e3,
            100 * t->load / total);
    for (int i = 0; i < t->n; i++) {
        double ms = t->at[i].seconds * 1e3;
        if (t->at[i].part) fprintf(out, "  %-8s %-17s %9.3f\n", t->at[i].stage, t->at[i].part, ms);
        else fprintf(out, "%-28s %9.3f %5.1f%%\n", t->at[i].stage, ms, 0.1 * ms / total);
    }
    fprintf(out, "%-28s %9.3f\n", "total", total * 1e3);
}
