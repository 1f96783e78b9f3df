/* judge.c -- compares what was measured with what the exercise allows, and says it in a sentence for the student. */
#include <inttypes.h>
#include <json-c/json.h>
#include <stdio.h>
#include <string.h>

#include "driver/grade/grade.h"
#include "parser/ast.h"
#include "runtime/runtime.h"

typedef struct Judge {
    Compiler *c;
    const Exercise *e;
    const char *path;
    struct json_object *criteria;
    bool ok;
} Judge;

static void add_text(struct json_object *o, const char *key, const char *text) {
    json_object_object_add(o, key, json_object_new_string(text));
}

/* The criterion that was added last is given back, for what only some have. */
static struct json_object *add(Judge *j, const char *name, bool ok, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
static struct json_object *add(Judge *j, const char *name, bool ok, const char *format, ...) {
    struct json_object *o = json_object_new_object();
    va_list ap;
    va_start(ap, format);
    add_text(o, "name", name);
    json_object_object_add(o, "passed", json_object_new_boolean(ok));
    add_text(o, "sentence", arena_vprintf(&j->c->arena, format, ap));
    va_end(ap);
    json_object_array_add(j->criteria, o);
    j->ok = j->ok && ok;
    return o;
}

static void add_lines(struct json_object *o, const char *key, const Buf *lines) {
    struct json_object *list = json_object_new_array();
    for (const char *at = lines->n ? lines->at : ""; *at;) {
        const char *end = strchrnul(at, '\n');
        json_object_array_add(list, json_object_new_string_len(at, (int)(end - at)));
        at = *end ? end + 1 : end;
    }
    json_object_object_add(o, key, list);
}

const char *with_commas(Arena *arena, int64_t v) {
    char digits[32], out[48];
    int n = snprintf(digits, sizeof digits, "%" PRId64, v), k = 0;
    for (int i = 0; i < n; i++) {
        out[k++] = digits[i];
        if (digits[i] != '-' && i + 1 < n && (n - 1 - i) % 3 == 0) out[k++] = ',';
    }
    return arena_strndup(arena, out, (size_t)k);
}

/* Tests ------------------------------------------------------------------------------------------------------------ */

static bool is_text(Bytes b, const char *text) { return b.n == strlen(text) && !memcmp(b.at, text, b.n); }

static bool must_race(const Exercise *e, const TestResult *r) {
    for (int i = 0; i < e->must_race.n; i++)
        if (is_text(r->name, e->must_race.at[i])) return true;
    return false;
}

/* The detector of --check=race lets a test go on to its end. */
static bool has_passed(const Exercise *e, const TestResult *r) {
    return must_race(e, r) ? is_text(r->why, KDSL_WHY_FOUND) : !r->why.n;
}

static void judge_tests(Judge *j, const Measured *m) {
    Buf failed = {0}, where = {0};
    TestResult r;
    int n = 0, n_failed = 0;
    for (size_t at = 0; results_take(&m->results, &at, &r); n++) {
        if (has_passed(j->e, &r)) continue;
        n_failed++;
        buf_printf(&failed, "%s`%.*s`", n_failed > 1 ? ", " : "", (int)r.name.n, r.name.at);
        if (must_race(j->e, &r))
            buf_printf(&where, "`%.*s`: %s\n", (int)r.name.n, r.name.at,
                       r.why.n ? "it ended before a data race was found" : "no data race happened");
        else buf_printf(&where, "`%.*s`: %.*s\n", (int)r.name.n, r.name.at, (int)r.why.n, r.why.at);
        size_t n_output = r.output.n;
        while (n_output && strchr("\n ", r.output.at[n_output - 1])) n_output--;
        if (n_failed == 1 && n_output) buf_printf(&where, "the test printed:\n%.*s\n", (int)n_output, r.output.at);
    }
    struct json_object *o;
    if (!m->runs) o = add(j, "tests", false, "the tests cannot be run");
    else if (!m->n_tests) o = add(j, "tests", false, "the checker has no test");
    else if (n < m->n_tests) o = add(j, "tests", false, "%d of %d tests have no result", m->n_tests - n, m->n_tests);
    else if (!n_failed) o = add(j, "tests", true, n == 1 ? "the test passes" : "all %d tests pass", n);
    else o = add(j, "tests", false, "%d of %d test%s fail%s: %s", n_failed, n, n == 1 ? "" : "s",
                 n_failed == 1 ? "s" : "", failed.at);
    if (m->said.n) buf_puts(&where, m->said.at);
    add_lines(o, "where", &where);
    buf_free(&failed);
    buf_free(&where);
}

/* Limits ----------------------------------------------------------------------------------------------------------- */

static void judge_limit(Judge *j, Fact fact, const Measured *m, const Measured *of_solution) {
    const FactRow *row = &fact_rows[fact];
    const Limit *l = &j->e->limits[fact];
    Arena *arena = &j->c->arena;
    int64_t value = m->value[fact], most = l->kind == LIMIT_SOLUTION ? of_solution->value[fact] : l->most;
    const char *limit = arena_printf(arena, l->kind == LIMIT_SOLUTION ? "limit: %s, as in the solution" : "limit: %s",
                                     with_commas(arena, most));
    if (value == UNKNOWN) {
        add(j, row->name, false, "cannot be measured, because the tests cannot be run");
        return;
    }
    const char *counted = arena_printf(arena, "%s %s", with_commas(arena, value), value == 1 ? row->one : row->several);
    if (fact == FACT_RACES && value == 0)
        counted = "no data race: no work item can write an element that another one uses at the same time";
    struct json_object *o = add(j, row->name, value <= most, "%s (%s)", counted, limit);
    json_object_object_add(o, "value", json_object_new_int64(value));
    json_object_object_add(o, "limit", json_object_new_int64(most));
    if (value <= most) return;
    add_lines(o, "where", &m->where[fact]);
    if (*row->explained_by) add_text(o, "see", arena_printf(arena, "kdslc %s %s", row->explained_by, j->path));
}

static void judge_time(Judge *j, double ratio) {
    bool is_known = ratio > 0, ok = is_known && ratio <= j->e->most_time;
    struct json_object *o =
        !is_known ? add(j, "time", false, "cannot be measured, because the tests cannot be run")
                  : add(j, "time", ok, "%.2f times the time of the solution (limit: %g)", ratio, j->e->most_time);
    json_object_object_add(o, "value", json_object_new_double(ratio));
    json_object_object_add(o, "limit", json_object_new_double(j->e->most_time));
}

/* Answers ---------------------------------------------------------------------------------------------------------- */

static void judge_answer(Judge *j, const Answer *a, const Const *given, const Measured *of_program) {
    const FactRow *row = &fact_rows[a->fact];
    int64_t right = of_program->value[a->fact];
    bool is_number = given && given->kind == CONST_INT, ok = is_number && right != UNKNOWN && given->i == right;
    struct json_object *o =
        !given       ? add(j, a->constant, false, "there is no constant `%s`", a->constant)
        : !is_number ? add(j, a->constant, false, "`%s` must be an integer", a->constant)
        : ok         ? add(j, a->constant, true, "`%s` is right: %s", a->constant, with_commas(&j->c->arena, right))
                     : add(j, a->constant, false, "`%s` is not %s", a->constant, with_commas(&j->c->arena, given->i));
    if (is_number) json_object_object_add(o, "value", json_object_new_int64(given->i));
    if (ok) return;
    add_text(o, "see", *row->explained_by ? arena_printf(&j->c->arena, "kdslc %s %s", row->explained_by, j->e->program)
                                          : arena_printf(&j->c->arena, "kdslc profile %s", j->e->program));
}

/* ------------------------------------------------------------------------------------------------------------------ */

struct json_object *judge(Compiler *c, const Exercise *e, const char *path, const Measured *m,
                          const Measured *of_solution, double ratio) {
    Judge j = {c, e, path, json_object_new_array(), true};
    struct json_object *o = json_object_new_object();
    if (!m->compiles) add_lines(add(&j, "compiles", false, "it does not compile"), "where", &m->said);
    bool asks = m->compiles && e->program;
    for (int i = 0; asks && i < e->answers.n; i++)
        judge_answer(&j, &e->answers.at[i], m->constants.at[i], of_solution);
    if (m->compiles && e->checker) {
        judge_tests(&j, m);
        for (int i = 0; i < FACT__COUNT; i++)
            if (e->limits[i].kind) judge_limit(&j, (Fact)i, m, of_solution);
        if (e->most_time > 0) judge_time(&j, ratio);
    }
    add_text(o, "submission", path);
    json_object_object_add(o, "passed", json_object_new_boolean(j.ok));
    json_object_object_add(o, "criteria", j.criteria);
    if (m->results.n) json_object_object_add(o, "tests", results_as_json(&m->results));
    return o;
}
