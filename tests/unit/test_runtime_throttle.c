/* runtime/throttle.c with a clock of this test's: loops of launches whose times are known, for one thread and for all.
 */
#include <stdio.h>

static double passed = 1;

double kdsl_clock(void) { return passed; }

#include "runtime/throttle.c"

static int n_failed;

#define CHECK(condition) check(condition, #condition, __LINE__)

static void check(bool ok, const char *what, int line) {
    if (ok) return;
    n_failed++;
    fprintf(stderr, "FAILED: line %d: %s\n", line, what);
}

enum { THREADS = 4, TASKS = 4 };

/* Only the address is of interest. */
static Task *task_of(int loop, int which) { return (Task *)(uintptr_t)(4096 + 16 * (loop * TASKS + which)); }

/* In microseconds: a launch of one thread, and of all. */
typedef struct Times {
    double one, all;
} Times;

/* How many of the launches does one thread execute? Each iteration launches n tasks. */
static int launch(Throttle *t, int loop, int n_iterations, int n, Times each) {
    int n_alone = 0;
    for (int i = 0; i < n_iterations; i++)
        for (int k = 0; k < n; k++) {
            bool is_alone = kdsl_throttle_is_alone(t, task_of(loop, k), THREADS);
            passed += 1e-6 * (is_alone ? each.one : each.all);
            n_alone += is_alone;
        }
    return n_alone;
}

static int loop_of(int loop, int n_iterations, int n, Times each) {
    Throttle t = {0};
    return launch(&t, loop, n_iterations, n, each);
}

/* All threads are faster: one tries now and then, not to the end of an iteration where that is far slower. */
static void all_are_faster(void) {
    int n = loop_of(0, 10000, 3, (Times){.one = 12, .all = 4});
    CHECK(n > 5 && n < 50);
    CHECK(loop_of(0, 60, 3, (Times){.one = 12, .all = 4}) == 0);
    n = loop_of(1, 10000, 3, (Times){.one = 5, .all = 4});
    CHECK(n > 50 && n < 250);
}

/* One is faster: after a few iterations it executes most, and all of the same loop when it comes again. */
static void one_is_faster(void) {
    int n = loop_of(2, 2000, 3, (Times){.one = 2, .all = 4}), again = loop_of(2, 60, 3, (Times){.one = 2, .all = 4});
    CHECK(n > 3 * 1800 && n < 3 * 1950);
    CHECK(again == 3 * 60);
}

/* A difference that is within what is measured does not change anything. */
static void about_the_same(void) {
    int n = loop_of(3, 10000, 1, (Times){.one = 3.95, .all = 4});
    CHECK(n > 10 && n < 100);
}

/* The work grows and shrinks again. */
static void work_changes(void) {
    Throttle t = {0};
    CHECK(launch(&t, 4, 500, 2, (Times){.one = 1, .all = 2}) > 2 * 400);
    CHECK(launch(&t, 4, 5000, 2, (Times){.one = 9, .all = 4}) < 2 * 600);
    CHECK(launch(&t, 4, 20000, 2, (Times){.one = 1, .all = 2}) > 2 * 12000);
}

/* Long launches are never tried on one thread, and a loop of short ones that gets long leaves it at once. */
static void long_launches(void) {
    Throttle t = {0};
    CHECK(loop_of(5, 5000, 2, (Times){.one = 90, .all = 100}) == 0);
    CHECK(launch(&t, 6, 500, 2, (Times){.one = 1, .all = 2}) > 2 * 400);
    CHECK(launch(&t, 6, 500, 2, (Times){.one = 4000, .all = 1000}) <= 6);
}

/* Of launches of all sizes, as on the grids of several levels, the time goes to the long ones. */
static void levels(void) {
    Throttle t = {0};
    int n_alone = 0;
    for (int cycle = 0; cycle < 500; cycle++)
        for (int level = 0; level < 8; level++) {
            double work = 800 >> (2 * level);
            n_alone += work > 100 ? launch(&t, 7, 4, 1, (Times){.one = work, .all = work / 3}) : 0;
            if (work <= 100) launch(&t, 7, 4, 1, (Times){.one = work + 1, .all = work / 3 + 2});
        }
    CHECK(n_alone < 100);
}

/* An iteration that waited for the processor changes nothing. */
static void interruptions(void) {
    Throttle t = {0};
    int n = 0;
    for (int i = 0; i < 200; i++) {
        n += launch(&t, 8, 40, 2, (Times){.one = 2, .all = 4});
        passed += 4e-3;
    }
    CHECK(n > 200 * 80 / 2);
}

/* A loop after another one within the same loop of the host: iterations begin at a task of its own. */
static void loop_after_a_loop(void) {
    Throttle t = {0};
    CHECK(!kdsl_throttle_is_alone(&t, task_of(9, 3), THREADS));
    CHECK(launch(&t, 9, 2000, 2, (Times){.one = 2, .all = 4}) > 2 * 1700);
}

int main(void) {
    all_are_faster();
    one_is_faster();
    about_the_same();
    work_changes();
    long_launches();
    levels();
    interruptions();
    loop_after_a_loop();
    return n_failed > 0;
}
