/* sandbox.c -- runs a submission: with limits on time, memory and output, and where bubblewrap works, in namespaces of
 * its own, in which only the system's libraries can be read. Without it the limits remain, and measure.c refuses what
 * could reach files: the checked language has no other way to them than the functions that it refuses. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "driver/grade/grade.h"
#include "driver/output.h"

extern char **environ;

enum { MOST_ARGUMENTS = 64, MOST_OUTPUT = 16 << 20, MOST_SAID = 4000 };
#define MOST_TEST_OUTPUT "32768" /* of each test; so the results of many tests fit in MOST_OUTPUT */

typedef struct Arguments {
    char *at[MOST_ARGUMENTS];
    int n;
} Arguments;

static void add(Arguments *a, const char *const *words) {
    for (; *words && a->n + 1 < MOST_ARGUMENTS; words++) a->at[a->n++] = (char *)*words;
    a->at[a->n] = NULL;
}
#define ADD(a, ...) add(a, (const char *const[]){__VA_ARGS__, NULL})

/* The folders of /dev and /proc are new ones; /sys tells the number of cores. */
static void add_sandbox(Compiler *c, const char *bwrap, Arguments *a) {
    ADD(a, bwrap, "--unshare-all", "--die-with-parent", "--new-session", "--clearenv");
    ADD(a, "--ro-bind", "/usr", "/usr", "--ro-bind-try", "/lib", "/lib", "--ro-bind-try", "/lib64", "/lib64");
    ADD(a, "--ro-bind-try", "/etc/ld.so.cache", "/etc/ld.so.cache", "--ro-bind-try", "/sys/devices/system",
        "/sys/devices/system");
    ADD(a, "--proc", "/proc", "--dev", "/dev", "--tmpfs", "/tmp", "--chdir", "/tmp");
    const char *name, *library = off_find_omptarget(c, &name), *slash = library ? strrchr(library, '/') : NULL;
    if (!slash || !strncmp(library, "/usr/", 5)) return;
    const char *folder = arena_strndup(&c->arena, library, (size_t)(slash - library));
    ADD(a, "--ro-bind", folder, folder);
}

static bool ends_well(char *const *argv) {
    int status = -1;
    pid_t pid = fork();
    if (pid == 0) {
        int null = open("/dev/null", O_RDWR);
        dup2(null, STDOUT_FILENO);
        dup2(null, STDERR_FILENO);
        execvp(argv[0], argv);
        _exit(127);
    }
    while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR) continue;
    return pid > 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

Sandbox sandbox_find(Compiler *c) {
    const char *bwrap = off_find_program(&c->arena, "bwrap");
    if (!bwrap) return (Sandbox){.why_not = "bubblewrap is not installed (Debian: apt install bubblewrap)"};
    Arguments a = {0};
    add_sandbox(c, bwrap, &a);
    ADD(&a, "/usr/bin/true");
    if (ends_well(a.at)) return (Sandbox){.program = bwrap};
    return (Sandbox){.why_not = "bubblewrap does not work here: this system does not permit user namespaces"};
}

/* The child ------------------------------------------------------------------------------------------------------- */

static void set_limit(int resource, int64_t value) {
    struct rlimit l = {(rlim_t)value, (rlim_t)value};
    setrlimit(resource, &l);
}

static void set_limits(const RunLimits *l) {
    set_limit(RLIMIT_DATA, l->megabytes << 20);
    set_limit(RLIMIT_FSIZE, MOST_OUTPUT);
    set_limit(RLIMIT_CPU, (int64_t)(4 * l->seconds) + 2); /* of all threads */
    set_limit(RLIMIT_CORE, 0);
}

typedef struct Files { /* descriptors */
    int program, results, profile, said;
} Files;

static _Noreturn void become(Compiler *c, const Sandbox *s, const Files *f, const RunLimits *l) {
    char *program = arena_printf(&c->arena, "/proc/self/fd/%d", f->program);
    char *const own_environment[] = {arena_printf(&c->arena, "KDSL_TEST_REPORT=%d", f->results),
                                     arena_printf(&c->arena, "KDSL_PROFILE=%d", f->profile),
                                     arena_printf(&c->arena, "KDSL_TEST_PROFILE=%d", f->profile),
                                     arena_printf(&c->arena, "KDSL_TEST_TIMEOUT=%g", l->test_seconds),
                                     "KDSL_TEST_TIMEOUT_NAME=the exercise's limit, `seconds`",
                                     "KDSL_TEST_OUTPUT=" MOST_TEST_OUTPUT, "KDSL_MEMORY=separate",
                                     "OMP_NUM_THREADS=2", "NO_COLOR=1", NULL};
    Arguments a = {0};
    int null = open("/dev/null", O_RDONLY);
    setpgid(0, 0);
    dup2(null, STDIN_FILENO);
    dup2(f->said, STDOUT_FILENO);
    dup2(f->said, STDERR_FILENO);
    if (s->program) {
        add_sandbox(c, s->program, &a);
        for (int i = 0; own_environment[i]; i++) {
            char *equal = strchr(own_environment[i], '=');
            ADD(&a, "--setenv", arena_strndup(&c->arena, own_environment[i], (size_t)(equal - own_environment[i])),
                equal + 1);
        }
    }
    ADD(&a, program);
    set_limits(l);
    execve(a.at[0], a.at, own_environment);
    dprintf(STDERR_FILENO, "cannot start %s: %s\n", a.at[0], strerror(errno));
    _exit(127);
}

/* The parent ------------------------------------------------------------------------------------------------------ */

double grade_now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Reads to the end, or to that time. */
static bool read_until(int fd, double end, Buf *out) {
    char block[1 << 14];
    for (double left; (left = end - grade_now()) > 0;) {
        struct pollfd p = {.fd = fd, .events = POLLIN};
        int ready = poll(&p, 1, (int)(1e3 * left) + 1);
        if (ready < 0 && errno == EINTR) continue;
        if (ready <= 0) return false;
        ssize_t n = read(fd, block, sizeof block);
        if (n == 0) return true;
        if (n > 0 && out->n < MOST_OUTPUT) buf_add(out, block, (size_t)n);
    }
    return false;
}

static void read_file(int fd, size_t most, Buf *out) {
    char block[1 << 14];
    lseek(fd, 0, SEEK_SET);
    for (ssize_t n; out->n < most && (n = read(fd, block, sizeof block)) > 0;)
        buf_add(out, block, (size_t)n < most - out->n ? (size_t)n : most - out->n);
}

bool sandbox_run(Compiler *c, const Sandbox *s, Blob program, const RunLimits *limits, Buf *results, Buf *profile,
                 Buf *said, const char **why) {
    int ends[2];
    Files f = {memfd_create("program", 0), -1, memfd_create("profile", 0), memfd_create("output", 0)};
    *why = "the system refuses another process";
    if (f.program < 0 || f.profile < 0 || f.said < 0 || !write_fully(f.program, program.at, program.n)) return false;
    int own = open(arena_printf(&c->arena, "/proc/self/fd/%d", f.program), O_RDONLY); /* a file open for writing cannot
                                                                                        * be executed */
    close(f.program);
    f.program = own;
    fcntl(f.profile, F_SETFL, O_APPEND);
    fcntl(f.said, F_SETFL, O_APPEND);
    if (own < 0 || pipe(ends)) return false;
    fcntl(ends[0], F_SETFD, FD_CLOEXEC);
    f.results = ends[1];
    pid_t pid = fork();
    if (pid == 0) become(c, s, &f, limits);
    if (pid > 0) setpgid(pid, pid);
    close(ends[1]);
    bool in_time = pid > 0 && read_until(ends[0], grade_now() + limits->seconds, results);
    if (!in_time && pid > 0) kill(-pid, SIGKILL);
    close(ends[0]);
    int status;
    while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR) continue;
    read_file(f.profile, 64 << 20, profile);
    read_file(f.said, MOST_SAID, said);
    close(f.program), close(f.profile), close(f.said);
    if (pid > 0 && !in_time)
        *why = arena_printf(&c->arena, "the tests did not end within %g s; the exercise allows %g s for each",
                            limits->seconds, limits->test_seconds);
    return in_time;
}
