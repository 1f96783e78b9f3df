/* test.c -- the test runner, `kdslc test`: runs the `test` blocks of a program one after the other and reports the
 * results. Each runs in a new process (a fork would share the open devices): a failed check, an exit or a crash ends
 * only that test. The output of a test is shown if it fails. KDSL_TEST_TIMEOUT: seconds that a test may take.
 * KDSL_TEST_REPORT: a file descriptor for the results, from which the driver makes JSON and XML (driver/results.c).
 * KDSL_TEST_PROFILE: one for the profile of each test (runtime/profile.c). `kdslc grade` also sets KDSL_TEST_OUTPUT,
 * the most bytes of a test's output that a result has, and KDSL_TEST_TIMEOUT_NAME, for messages. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "runtime/internal.h"

enum { REASON_BYTES = 96 };
static const char child_word[] = "--kdsl-test"; /* program --kdsl-test NUMBER FD */

typedef struct Run {
    int status;     /* of waitpid */
    bool finished;  /* it came to its end */
    bool late;      /* it was stopped because it took too long */
    double seconds; /* until there, or until its process ended */
    int output;     /* memory file: what it printed on both streams */
} Run;

/* One test, in the process made for it. That it came to its end is said through `fd`: an exit(0) would not. */
static int32_t run_child(const KdslTest *tests, int64_t n) {
    long number = strtol(kdsl_argv[2], NULL, 10);
    int fd = atoi(kdsl_argv[3]);
    if (number < 0 || number >= n) return 1;
    kdsl_argc = 1;
    double start = kdsl_clock();
    tests[number].run();
    double seconds = kdsl_clock() - start;
    fflush(stdout);
    return write(fd, &seconds, sizeof seconds) == sizeof seconds ? 0 : 1;
}

static _Noreturn void start_child(int64_t number, int output, int fd) {
    char number_text[24], fd_text[24];
    snprintf(number_text, sizeof number_text, "%lld", (long long)number);
    snprintf(fd_text, sizeof fd_text, "%d", fd);
    const char *profile = getenv("KDSL_TEST_PROFILE");
    dup2(output, STDOUT_FILENO);
    dup2(output, STDERR_FILENO);
    if (profile) setenv("KDSL_PROFILE", profile, 1);
    char *argv[] = {kdsl_argv[0], (char *)child_word, number_text, fd_text, NULL};
    execv("/proc/self/exe", argv);
    dprintf(STDERR_FILENO, "cannot start a process for this test: %s\n", strerror(errno));
    _exit(1);
}

/* Waits for the end of the process, at most for the time limit; then stops it, and what it has started. */
static void wait_for(pid_t pid, Run *r) {
    const char *limit = getenv("KDSL_TEST_TIMEOUT");
    double seconds = limit ? strtod(limit, NULL) : 0;
    if (seconds > 0) {
        struct pollfd child = {.fd = (int)syscall(SYS_pidfd_open, pid, 0), .events = POLLIN};
        double end = kdsl_clock() + seconds, left = seconds;
        int ended = 0;
        while (child.fd >= 0 && left > 0 && (ended = poll(&child, 1, (int)(1e3 * left) + 1)) < 0 && errno == EINTR)
            left = end - kdsl_clock();
        r->late = child.fd >= 0 && ended == 0;
        if (r->late) kill(-pid, SIGKILL);
        if (child.fd >= 0) close(child.fd);
    }
    while (waitpid(pid, &r->status, 0) < 0 && errno == EINTR) continue;
}

static bool run_test(int64_t number, Run *r) {
    int ends[2];
    *r = (Run){.output = memfd_create("output of a test", MFD_CLOEXEC)};
    if (r->output < 0 || pipe2(ends, O_NONBLOCK)) return false;
    fcntl(r->output, F_SETFL, O_APPEND);
    fcntl(ends[0], F_SETFD, FD_CLOEXEC);
    double start = kdsl_clock();
    pid_t pid = fork();
    if (pid == 0) {
        if (getenv("KDSL_TEST_TIMEOUT")) setpgid(0, 0);
        start_child(number, r->output, ends[1]);
    }
    if (pid > 0 && getenv("KDSL_TEST_TIMEOUT")) setpgid(pid, pid); /* whoever is first */
    close(ends[1]);
    if (pid > 0) wait_for(pid, r);
    r->seconds = kdsl_clock() - start;
    double seconds;
    r->finished = read(ends[0], &seconds, sizeof seconds) == sizeof seconds;
    if (r->finished) r->seconds = seconds;
    close(ends[0]);
    return pid > 0;
}

/* The report ------------------------------------------------------------------------------------------------------- */

static const char *colour(const char *code) { return isatty(STDOUT_FILENO) && !getenv("NO_COLOR") ? code : ""; }

static void print_time(double seconds) {
    if (seconds < 1.0) printf("%.1f ms", 1e3 * seconds);
    else printf("%.2f s", seconds);
}

static void print_indented(int fd) {
    FILE *in = lseek(fd, 0, SEEK_SET) ? NULL : fdopen(fd, "r");
    bool at_start = true;
    for (int c; in && (c = fgetc(in)) != EOF; at_start = c == '\n') {
        if (at_start) fputs("        ", stdout);
        putchar(c);
    }
    if (!at_start) putchar('\n');
    if (in) fclose(in);
    else close(fd);
}

static long long most_megabytes(void) {
    struct rlimit most = {0};
    getrlimit(RLIMIT_FSIZE, &most);
    return (long long)(most.rlim_cur >> 20);
}

/* Why a test failed that has not said so itself; NULL: it has. */
static const char *reason(const Run *r, char text[REASON_BYTES]) {
    const char *limit = getenv("KDSL_TEST_TIMEOUT_NAME");
    if (r->late) snprintf(text, REASON_BYTES, "stopped after %.3g s (%s)", r->seconds, limit ? limit : "--timeout");
    else if (WIFSIGNALED(r->status) && WTERMSIG(r->status) == SIGXFSZ)
        snprintf(text, REASON_BYTES, "stopped because it printed more than %lld MB", most_megabytes());
    else if (WIFSIGNALED(r->status))
        snprintf(text, REASON_BYTES, "ended by signal %d (%s)", WTERMSIG(r->status), strsignal(WTERMSIG(r->status)));
    else if (WEXITSTATUS(r->status) != KDSL_EXIT_CHECK)
        snprintf(text, REASON_BYTES, "ended with exit code %d before its end", WEXITSTATUS(r->status));
    else return NULL;
    return text;
}

static void print_failed(const KdslTest *t, const Run *r) {
    char text[REASON_BYTES];
    printf("%sFAILED%s  %s (%s)\n", colour("\033[1;31m"), colour("\033[0m"), t->name, t->place);
    print_indented(r->output);
    if (reason(r, text)) printf("        %s\n", text);
}

static void print_result(const KdslTest *t, const Run *r, bool ok) {
    if (!ok) {
        print_failed(t, r);
        return;
    }
    printf("%sok%s      %s (", colour("\033[32m"), colour("\033[0m"), t->name);
    print_time(r->seconds);
    puts(")");
    close(r->output);
}

static void put_field(FILE *out, const char *text, size_t n) {
    fprintf(out, "%zu:", n);
    fwrite(text, 1, n, out);
}

/* A result is five fields, each its length, a colon and its bytes: name, place, seconds, why it failed (empty: it did
 * not), output. */
static void write_result(FILE *out, const KdslTest *t, const Run *r, bool ok) {
    char seconds[32], text[REASON_BYTES];
    snprintf(seconds, sizeof seconds, "%.6f", r->seconds);
    const char *why = ok ? "" : reason(r, text) ? text : r->finished ? KDSL_WHY_FOUND : "a check failed";
    const char *fields[4] = {t->name, t->place, seconds, why};
    for (int i = 0; i < 4; i++) put_field(out, fields[i], strlen(fields[i]));
    const char *limit = getenv("KDSL_TEST_OUTPUT");
    off_t n = lseek(r->output, 0, SEEK_END), most = limit ? strtoll(limit, NULL, 10) : n;
    if (n > most) n = most;
    char *said = n > 0 ? mmap(NULL, (size_t)n, PROT_READ, MAP_PRIVATE, r->output, 0) : MAP_FAILED;
    put_field(out, said == MAP_FAILED ? "" : said, said == MAP_FAILED ? 0 : (size_t)n);
    if (said != MAP_FAILED) munmap(said, (size_t)n);
    close(r->output);
    fflush(out);
}

static bool report_test(const KdslTest *t, int64_t number, FILE *results) {
    Run r;
    if (!run_test(number, &r)) {
        printf("%sFAILED%s  %s: cannot start a process: %s\n", colour("\033[1;31m"), colour("\033[0m"), t->name,
               strerror(errno));
        return false;
    }
    bool ok = r.finished && WIFEXITED(r.status) && WEXITSTATUS(r.status) == 0;
    if (results) write_result(results, t, &r, ok);
    else print_result(t, &r, ok);
    fflush(stdout);
    return ok;
}

static FILE *open_results(void) {
    const char *fd = getenv("KDSL_TEST_REPORT");
    FILE *out = fd ? fdopen(atoi(fd), "w") : NULL;
    if (out) fcntl(fileno(out), F_SETFD, FD_CLOEXEC);
    return out;
}

int32_t kdsl_test_main(const KdslTest *tests, int64_t n) {
    if (kdsl_argc == 4 && !strcmp(kdsl_argv[1], child_word)) return run_child(tests, n);
    const char *filter = kdsl_argc > 1 ? kdsl_argv[1] : "";
    FILE *results = open_results();
    int64_t passed = 0, failed = 0;
    double start = kdsl_clock();
    for (int64_t i = 0; i < n; i++) {
        if (!strstr(tests[i].name, filter)) continue;
        if (report_test(&tests[i], i, results)) passed++;
        else failed++;
    }
    if (results) {
        fclose(results);
        return failed != 0 || !passed;
    }
    if (!passed && !failed) {
        printf("no test has `%s` in its name; the file has %lld test%s\n", filter, (long long)n, n == 1 ? "" : "s");
        return 1;
    }
    printf("%lld passed, %lld failed (", (long long)passed, (long long)failed);
    print_time(kdsl_clock() - start);
    puts(")");
    return failed != 0;
}
