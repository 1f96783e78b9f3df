/* results.c -- `kdslc test --format=json|junit`: runs the tests, which send each result through a pipe
 * (runtime/test.c), and prints what came. */
#include "driver/results.h"

#include <errno.h>
#include <fcntl.h>
#include <json-c/json.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "driver/json.h"
#include "driver/output.h"

enum { N_FIELDS = 5 };

/* The next field; false: there is no whole one. */
static bool take_field(const Buf *b, size_t *at, Bytes *out) {
    size_t n = 0, i = *at;
    for (; i < b->n && b->at[i] >= '0' && b->at[i] <= '9'; i++) n = 10 * n + (size_t)(b->at[i] - '0');
    if (i >= b->n || b->at[i] != ':' || n > b->n - i - 1) return false;
    *out = (Bytes){b->at + i + 1, n};
    *at = i + 1 + n;
    return true;
}

bool results_take(const Buf *b, size_t *at, TestResult *r) {
    Bytes *fields[N_FIELDS] = {&r->name, &r->place, &r->seconds, &r->why, &r->output};
    for (int i = 0; i < N_FIELDS; i++)
        if (!take_field(b, at, fields[i])) return false;
    return true;
}

double results_seconds(const TestResult *r) {
    char text[32];
    snprintf(text, sizeof text, "%.*s", (int)r->seconds.n, r->seconds.at);
    return strtod(text, NULL);
}

/* JSON ------------------------------------------------------------------------------------------------------------ */

static void add_field(struct json_object *o, const char *key, Bytes f) {
    json_object_object_add(o, key, json_object_new_string_len(f.at, (int)f.n));
}

struct json_object *results_as_json(const Buf *b) {
    struct json_object *list = json_object_new_array();
    TestResult r;
    for (size_t at = 0; results_take(b, &at, &r);) {
        struct json_object *o = json_object_new_object();
        add_field(o, "name", r.name);
        add_field(o, "place", r.place);
        json_object_object_add(o, "passed", json_object_new_boolean(!r.why.n));
        char seconds[32];
        snprintf(seconds, sizeof seconds, "%.*s", (int)r.seconds.n, r.seconds.at);
        json_object_object_add(o, "seconds", json_object_new_double_s(strtod(seconds, NULL), seconds));
        if (r.why.n) add_field(o, "why", r.why);
        add_field(o, "output", r.output);
        json_object_array_add(list, o);
    }
    return list;
}

/* XML ------------------------------------------------------------------------------------------------------------- */

/* Control characters cannot be written in XML 1.0. */
void results_add_xml(Buf *out, Bytes f) {
    for (size_t i = 0; i < f.n; i++) {
        unsigned char c = (unsigned char)f.at[i];
        switch (c) {
        case '<': buf_puts(out, "&lt;"); break;
        case '>': buf_puts(out, "&gt;"); break;
        case '&': buf_puts(out, "&amp;"); break;
        case '"': buf_puts(out, "&quot;"); break;
        default:
            if (c >= ' ' || c == '\n' || c == '\t') buf_putc(out, (char)c);
            else buf_puts(out, "?");
        }
    }
}

static void print_junit(const Buf *b, const char *suite, Buf *out) {
    TestResult r;
    int n = 0, failed = 0;
    double seconds = 0;
    for (size_t at = 0; results_take(b, &at, &r); n++) {
        failed += r.why.n > 0;
        seconds += results_seconds(&r);
    }
    buf_puts(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n  <testsuite name=\"");
    results_add_xml(out, (Bytes){suite, strlen(suite)});
    buf_printf(out, "\" tests=\"%d\" failures=\"%d\" time=\"%.6f\">\n", n, failed, seconds);
    for (size_t at = 0; results_take(b, &at, &r);) {
        buf_puts(out, "    <testcase name=\"");
        results_add_xml(out, r.name);
        buf_puts(out, "\" classname=\"");
        results_add_xml(out, (Bytes){suite, strlen(suite)});
        buf_printf(out, "\" time=\"%.*s\"", (int)r.seconds.n, r.seconds.at);
        buf_puts(out, r.why.n ? ">\n      <failure message=\"" : "/>\n");
        if (!r.why.n) continue;
        results_add_xml(out, r.why);
        buf_puts(out, "\">");
        results_add_xml(out, r.place);
        buf_puts(out, "\n");
        results_add_xml(out, r.output);
        buf_puts(out, "</failure>\n    </testcase>\n");
    }
    buf_puts(out, "  </testsuite>\n</testsuites>\n");
}

/* Running --------------------------------------------------------------------------------------------------------- */

static void read_all(int fd, Buf *out) {
    char block[1 << 14];
    for (ssize_t n; (n = read(fd, block, sizeof block)) != 0;) {
        if (n < 0 && errno != EINTR) break;
        if (n > 0) buf_add(out, block, (size_t)n);
    }
    close(fd);
}

int results_run(Compiler *c, Blob program, const Options *o) {
    int ends[2], status = 0;
    if (pipe2(ends, O_CLOEXEC)) {
        diag(c, E1005, (Span){0}, "cannot run the tests: %s", strerror(errno));
        return -1;
    }
    pid_t pid = fork();
    if (pid == 0) {
        int fd = dup(ends[1]); /* stays open in the program */
        setenv("KDSL_TEST_REPORT", arena_printf(&c->arena, "%d", fd), 1);
        output_execute(c, program, o);
        _exit(KDSLC_DIAGNOSTICS);
    }
    close(ends[1]);
    Buf came = {0}, out = {0};
    read_all(ends[0], &came);
    while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR) continue;
    if (o->format == FORMAT_JUNIT) print_junit(&came, o->input, &out);
    else json_print(results_as_json(&came), &out);
    bool ok = output_text(c, "-", out.at, out.n);
    buf_free(&came);
    buf_free(&out);
    if (!ok) return -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : KDSLC_DIAGNOSTICS;
}
