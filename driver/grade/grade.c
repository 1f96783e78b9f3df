/* grade.c -- `kdslc grade`: finds the submissions, grades each in a process of its own, several at a time, and prints.
 * A submission that crashes or stalls the compiler so fails alone. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <json-c/json.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "driver/grade/grade.h"
#include "driver/output.h"
#include "driver/meant.h"

enum { COMPILE_SECONDS = 60, COMPILE_MEGABYTES = 8192, MOST_WORKERS = 64 };
static const double least_alike = 0.6;

typedef struct Paths {
    Graded *at; /* so far without a verdict, or with why there is nothing to grade */
    int n, cap;
} Paths;

/* Submissions ------------------------------------------------------------------------------------------------------ */

static void add_path(Compiler *c, Paths *p, const char *path, struct json_object *verdict) {
    vec_push(&c->arena, p, ((Graded){.path = path, .verdict = verdict}));
}

/* "class//ada/./x" as "class/ada/x" */
static const char *tidy(Arena *arena, const char *path) {
    char *out = arena_strndup(arena, path, strlen(path));
    size_t n = 0;
    for (const char *at = path; *at; at++) {
        bool starts = at == path || at[-1] == '/';
        if (starts && at != path && *at == '/') continue;
        if (starts && at[0] == '.' && at[1] == '/') {
            at++;
            continue;
        }
        out[n++] = *at;
    }
    while (n > 1 && out[n - 1] == '/') n--;
    out[n] = 0;
    return n ? out : ".";
}

/* Of a submission that is not graded. */
static struct json_object *failed_verdict(const char *path, const char *criterion, const char *sentence) {
    struct json_object *o = json_object_new_object(), *list = json_object_new_array(), *one = json_object_new_object();
    json_object_object_add(one, "name", json_object_new_string(criterion));
    json_object_object_add(one, "passed", json_object_new_boolean(false));
    json_object_object_add(one, "sentence", json_object_new_string(sentence));
    json_object_array_add(list, one);
    json_object_object_add(o, "submission", json_object_new_string(path));
    json_object_object_add(o, "passed", json_object_new_boolean(false));
    json_object_object_add(o, "criteria", list);
    return o;
}

static bool is_folder(const char *path) {
    struct stat st;
    return !stat(path, &st) && S_ISDIR(st.st_mode);
}

static int is_visible(const struct dirent *e) { return e->d_name[0] != '.'; }

/* "found `a.kdsl`, `b.txt` and 2 more" */
static const char *found_in(Compiler *c, const char *folder) {
    enum { MOST_NAMES = 3 };
    struct dirent **entries;
    int n = scandir(folder, &entries, is_visible, alphasort);
    const char *text = "the folder is empty";
    for (int i = 0; i < n; i++) {
        const char *name = entries[i]->d_name;
        if (i == 0) text = arena_printf(&c->arena, "found `%s`", name);
        else if (i < MOST_NAMES) text = arena_printf(&c->arena, "%s, `%s`", text, name);
        free(entries[i]);
    }
    if (n >= 0) free(entries);
    return n > MOST_NAMES ? arena_printf(&c->arena, "%s and %d more", text, n - MOST_NAMES) : text;
}

/* Students may have made the folder: a link in it must not lead to a file that they could not read themselves. */
static bool leads_out(const char *folder, const char *path) {
    char *real = realpath(path, NULL), *root = realpath(folder, NULL);
    size_t n = root ? strlen(root) : 0;
    bool inside = real && root && (n == 1 || (!strncmp(real, root, n) && real[n] == '/'));
    free(real);
    free(root);
    return !inside;
}

/* NULL: it can be read. */
static const char *why_not_read(Compiler *c, const char *folder, const char *path) {
    struct stat st;
    if (leads_out(folder, path))
        return arena_printf(&c->arena, "not read: it is a link that leads out of `%s`", folder);
    if (stat(path, &st) || !S_ISREG(st.st_mode)) return "not read: it is not a file";
    return access(path, R_OK) ? arena_printf(&c->arena, "not read: %s", strerror(errno)) : NULL;
}

/* FOLDER/NAME/exercise.kdsl or FOLDER/NAME.kdsl */
static void add_entry(Compiler *c, Paths *p, const char *folder, const char *name, const Exercise *e) {
    const char *own = arena_printf(&c->arena, "%s/%s", folder, name), *path = own, *why;
    struct stat st;
    if (is_folder(own)) path = arena_printf(&c->arena, "%s/%s.kdsl", own, e->name);
    else if (!output_ends_with(own, ".kdsl")) return;
    if (path != own && !leads_out(folder, own) && lstat(path, &st))
        why = arena_printf(&c->arena, "no %s.kdsl; %s", e->name, found_in(c, own));
    else why = why_not_read(c, folder, path != own && leads_out(folder, own) ? own : path);
    add_path(c, p, path, why ? failed_verdict(path, "submitted", why) : NULL);
}

static bool add_folder(Compiler *c, Paths *p, const char *folder, const Exercise *e) {
    struct dirent **entries;
    int n = scandir(folder, &entries, is_visible, alphasort), before = p->n;
    for (int i = 0; i < n; i++) {
        add_entry(c, p, folder, entries[i]->d_name, e);
        free(entries[i]);
    }
    if (n >= 0) free(entries);
    if (p->n == before)
        diag(c, E1002, (Span){0}, "there is no submission in `%s`: neither files *.kdsl nor */%s.kdsl", folder,
             e->name);
    return p->n > before;
}

static const char *with_suffix(Compiler *c, const char *path, const char *suffix) {
    return arena_printf(&c->arena, "%.*s%s", (int)(strrchr(path, '.') - path), path, suffix);
}

static bool find_submissions(Compiler *c, const Options *o, int first, const Exercise *e, Paths *p) {
    bool ok = true;
    if (first == o->n_inputs) add_path(c, p, with_suffix(c, e->path, ".kdsl"), NULL);
    for (int i = first; i < o->n_inputs; i++) {
        const char *path = tidy(&c->arena, o->inputs[i]);
        if (is_folder(path)) ok = add_folder(c, p, path, e) && ok;
        else add_path(c, p, path, NULL);
    }
    for (int i = 0; i < p->n; i++) {
        if (p->at[i].verdict || !access(p->at[i].path, R_OK)) continue;
        report_unreadable(c, p->at[i].path, strerror(errno));
        ok = false;
    }
    return ok;
}

/* Of `kdslc grade scale.kdsl`: scale.json beside it. */
static const char *exercise_path(Compiler *c, const Options *o, int *first) {
    *first = output_ends_with(o->inputs[0], ".json");
    if (*first) return tidy(&c->arena, o->inputs[0]);
    if (!output_ends_with(o->inputs[0], ".kdsl")) {
        diag(c, E1002, (Span){0}, "the first file must be an exercise, NAME.json, or a submission beside its exercise");
        return NULL;
    }
    const char *path = with_suffix(c, tidy(&c->arena, o->inputs[0]), ".json");
    if (!access(path, R_OK)) return path;
    diag(c, E1002, (Span){0}, "there is no exercise `%s`; name it: `kdslc grade EXERCISE.json %s`", path, o->inputs[0]);
    return NULL;
}

/* One submission --------------------------------------------------------------------------------------------------- */

typedef struct Worker {
    pid_t pid;
    int fd, number; /* of the submission */
    double end;
    Buf came;
} Worker;

typedef struct Grading {
    Compiler *c;
    const Options *o;
    const Exercise *e;
    const Measured *reference; /* of the solution, or of Exercise.program */
    Class *class;
} Grading;

static double time_ratio(Compiler *c, const Grading *g, const char *path) {
    double seconds[2] = {0, 0};
    if (!measure_times(c, g->o, g->e, (const char *const[2]){path, g->e->solution}, seconds)) return 0;
    return seconds[0] / (seconds[1] > 1e-9 ? seconds[1] : 1e-9);
}

static struct json_object *grade_one(Compiler *c, const Grading *g, const char *path) {
    Measured m;
    double start = grade_now();
    unsigned sources = exercise_sources(g->e) | SOURCE_RUN;
    measure(c, g->o, g->e, g->e->checker ? MEASURE_SUBMISSION : MEASURE_CONSTANTS, path, sources, &m);
    double ratio = m.runs && g->e->most_time > 0 ? time_ratio(c, g, path) : 0;
    struct json_object *verdict = judge(c, g->e, path, &m, g->reference, ratio);
    json_object_object_add(verdict, "seconds", json_object_new_double(grade_now() - start));
    measure_free(&m);
    return verdict;
}

static _Noreturn void work(const Grading *g, const char *path, int fd) {
    struct rlimit data = {(rlim_t)COMPILE_MEGABYTES << 20, (rlim_t)COMPILE_MEGABYTES << 20};
    Compiler c;
    setrlimit(RLIMIT_DATA, &data);
    setpgid(0, 0);
    compiler_init(&c);
    const char *text = json_object_to_json_string(grade_one(&c, g, path));
    _exit(write_fully(fd, text, strlen(text)) ? 0 : 1);
}

static bool start_worker(const Grading *g, int number, Worker *w) {
    int ends[2];
    double seconds = COMPILE_SECONDS + 100 * g->e->seconds;
    if (pipe2(ends, O_CLOEXEC)) return false;
    *w = (Worker){.pid = fork(), .fd = ends[0], .number = number, .end = grade_now() + seconds};
    if (w->pid == 0) work(g, g->class->at[number].path, ends[1]);
    close(ends[1]);
    return w->pid > 0;
}

static void end_worker(Grading *g, Worker *w, bool in_time) {
    int status = 0;
    Graded *at = &g->class->at[w->number];
    if (!in_time) kill(-w->pid, SIGKILL);
    close(w->fd);
    while (waitpid(w->pid, &status, 0) < 0 && errno == EINTR) continue;
    at->verdict = in_time && w->came.n ? json_tokener_parse(w->came.at) : NULL;
    if (!at->verdict)
        at->verdict = failed_verdict(at->path, "compiles",
                                     in_time ? "the compiler ended before it was done: please report this"
                                             : "compiling and running it took too long");
    buf_free(&w->came);
    w->pid = 0;
}

/* Reads what has come. True: this worker has ended, or its time is over. */
static bool hear(Grading *g, Worker *w, bool is_ready) {
    char block[1 << 14];
    ssize_t n = is_ready ? read(w->fd, block, sizeof block) : 1;
    if (is_ready && n > 0) buf_add(&w->came, block, (size_t)n);
    bool in_time = grade_now() < w->end;
    if (n > 0 && in_time) return false;
    end_worker(g, w, in_time);
    return true;
}

static void wait_for_some(Grading *g, Worker *workers, int n) {
    struct pollfd fds[MOST_WORKERS];
    for (int i = 0; i < n; i++) fds[i] = (struct pollfd){.fd = workers[i].pid ? workers[i].fd : -1, .events = POLLIN};
    if (poll(fds, (nfds_t)n, 1000) < 0 && errno != EINTR) return;
    for (int i = 0; i < n; i++)
        if (workers[i].pid) hear(g, &workers[i], fds[i].revents != 0);
}

/* Programs run with two threads; where time is graded, nothing else runs beside them. */
static int n_workers(const Grading *g) {
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    int n = g->e->most_time > 0 || cores < 2 ? 1 : (int)cores;
    return n < MOST_WORKERS ? n : MOST_WORKERS;
}

static bool grade_all(Grading *g) {
    Worker workers[MOST_WORKERS] = {{0}};
    int n = n_workers(g), next = 0, running = 1;
    while (next < g->class->n || running) {
        running = 0;
        for (int i = 0; i < n; i++) {
            while (next < g->class->n && g->class->at[next].verdict) next++;
            if (!workers[i].pid && next < g->class->n && !start_worker(g, next++, &workers[i])) return false;
            running += workers[i].pid != 0;
        }
        if (running) wait_for_some(g, workers, n);
    }
    return true;
}

/* ------------------------------------------------------------------------------------------------------------------ */

/* The solution, or the program that the answers are about. False: reported. */
static bool measure_reference(const Grading *g, Compiler *own, Measured *m) {
    const Exercise *e = g->e;
    unsigned sources = 0;
    for (int i = 0; i < e->answers.n; i++) sources |= fact_rows[e->answers.at[i].fact].source;
    if (e->program) measure(own, g->o, e, MEASURE_PROGRAM, e->program, sources, m);
    else if (exercise_needs_solution(e))
        measure(own, g->o, e, MEASURE_SUBMISSION, e->solution, exercise_sources(e) | SOURCE_RUN, m);
    else return true;
    const char *path = e->program ? e->program : e->solution;
    if (m->compiles && (m->runs || e->program)) return true;
    diag(g->c, E1007, (Span){0}, "%s: `%s` cannot be measured:\n%s", e->path, path, m->said.n ? m->said.at : "");
    return false;
}

static void find_alike(Compiler *c, const Exercise *e, Class *class) {
    const char **text = arena_array(&c->arena, const char *, class->n), *why;
    for (int i = 0; i < class->n; i++) {
        const Graded *g = &class->at[i];
        Source *s = class_is_read(g) ? source_read(&c->sources, g->path, SOURCE_FILE, &why) : NULL;
        class->at[i].text = text[i] = s ? s->text : "";
    }
    Source *skeleton = source_read(&c->sources, with_suffix(c, e->path, ".kdsl"), SOURCE_FILE, &why);
    similar_find(&c->arena, text, skeleton ? skeleton->text : NULL, least_alike, class);
}

static bool print(Compiler *c, const Options *o, const Class *class) {
    Buf out = {0};
    if (o->format == FORMAT_JSON) report_json(class, &out);
    else if (o->format == FORMAT_JUNIT) report_junit(class, &out);
    else report_text(class, isatty(STDOUT_FILENO) && !getenv("NO_COLOR"), &out);
    bool ok = output_text(c, "-", out.at, out.n);
    out.n = 0;
    if (o->html) report_html(&c->arena, class, &out);
    if (o->html) ok = output_text(c, o->html, out.at, out.n) && ok;
    buf_free(&out);
    return ok;
}

int grade_run(Compiler *c, const Options *o) {
    Exercise e;
    Measured reference = {0};
    Paths paths = {0};
    Compiler own;
    int first, n_passed = 0;
    const char *path = exercise_path(c, o, &first);
    if (!path || !exercise_read(c, path, &e) || !find_submissions(c, o, first, &e, &paths)) return -1;
    Sandbox sandbox = sandbox_find(c);
    Class class = {.exercise = &e, .sandbox = &sandbox, .at = paths.at, .n = paths.n};
    Grading g = {c, o, &e, &reference, &class};
    compiler_init(&own);
    bool ok = measure_reference(&g, &own, &reference);
    if (ok && !grade_all(&g)) {
        diag(c, E1005, (Span){0}, "cannot start another process: %s", strerror(errno));
        ok = false;
    }
    if (ok && class.n > 1) find_alike(c, &e, &class);
    ok = ok && print(c, o, &class);
    for (int i = 0; i < class.n; i++) {
        struct json_object *passed = json_object_object_get(class.at[i].verdict, "passed");
        n_passed += json_object_get_boolean(passed);
        json_object_put(class.at[i].verdict);
    }
    measure_free(&reference);
    compiler_free(&own);
    return !ok ? -1 : n_passed == class.n ? KDSLC_OK : KDSLC_DIAGNOSTICS;
}
