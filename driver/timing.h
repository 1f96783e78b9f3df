/* timing.h -- --time-report: wall-clock time of every stage, in the order they ran. */
#ifndef KDSL_TIMING_H
#define KDSL_TIMING_H

#include <stdbool.h>
#include <stdio.h>

enum { TIMES_MAX = 32 };

typedef struct Times {
    struct {
        const char *stage, *part; /* part NULL: a stage; else a part of a stage, which is not added to the sum */
        double seconds;
    } at[TIMES_MAX];
    int n;
    double started;  /* when main began */
    double last;     /* when the last stage ended */
    double load;     /* processor time used before main: the dynamic linker */
} Times;

void times_start(Times *t);
double times_now(void); /* in seconds */
/* The stage that ends now began where the last one ended. */
void times_stage(Times *t, const char *stage);
/* Time inside the next stage to end, measured elsewhere: stages that ran side by side. */
void times_part(Times *t, const char *stage, const char *part, double seconds);
void times_print(const Times *t, FILE *out);

#endif
