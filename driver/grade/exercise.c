/* exercise.c -- reads the description of an exercise, a JSON file (docs/grading.md). */
#include <json-c/json.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

#include "driver/grade/grade.h"
#include "driver/meant.h"
#include "parser/ast.h"

const FactRow fact_rows[FACT__COUNT] = {
#define FACT(id, name, source, one, several, explained_by)                                                             \
    [FACT_##id] = {name, SOURCE_##source, one, several, explained_by, false},
#define ANSWER(id, name, source, one, several, explained_by)                                                           \
    [FACT_##id] = {name, SOURCE_##source, one, several, explained_by, true},
#include "driver/grade/facts.def"
};

typedef struct Reader {
    Compiler *c;
    Exercise *e;
    bool ok;
} Reader;

static void problem(Reader *r, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void problem(Reader *r, const char *format, ...) {
    va_list ap;
    va_start(ap, format);
    diag(r->c, E1007, (Span){0}, "%s: %s", r->e->path, arena_vprintf(&r->c->arena, format, ap));
    va_end(ap);
    r->ok = false;
}

static const char *keep(Reader *r, struct json_object *o) {
    const char *text = json_object_get_string(o);
    return arena_strndup(&r->c->arena, text, strlen(text));
}

/* "did you mean `races`?", or "the keys are ..." with all of them. */
static const char *instead(Reader *r, const char *word, const char *const *known, const char *several) {
    const char *best = NULL, *all = "";
    int distance = 3 + (int)strlen(word) / 8;
    for (int i = 0; known[i]; i++) {
        int d = edit_distance(word, known[i], distance - 1);
        if (d < distance) best = known[i], distance = d;
        all = arena_printf(&r->c->arena, "%s%s`%s`", all, *all ? ", " : "", known[i]);
    }
    return best ? arena_printf(&r->c->arena, "did you mean `%s`?", best)
                : arena_printf(&r->c->arena, "the %s are %s", several, all);
}

static void unknown_key(Reader *r, const char *in, const char *key, const char *const *known) {
    problem(r, "there is no key `%s`%s; %s", key, in, instead(r, key, known, "keys"));
}

static const char *text_of(Reader *r, const char *key, struct json_object *o) {
    if (json_object_is_type(o, json_type_string)) return keep(r, o);
    problem(r, "`%s` must be a string", key);
    return "";
}

static double number_of(Reader *r, const char *key, struct json_object *o, double least) {
    bool is_number = json_object_is_type(o, json_type_int) || json_object_is_type(o, json_type_double);
    double v = is_number ? json_object_get_double(o) : NAN;
    if (!(v >= least)) problem(r, "`%s` must be a number, at least %g", key, least);
    return v;
}

/* Facts ------------------------------------------------------------------------------------------------------------ */

/* FACT__COUNT: reported. */
static Fact fact_of(Reader *r, const char *in, const char *name, bool for_answers) {
    const char *known[FACT__COUNT + 2];
    int n = 0;
    for (int i = 0; i < FACT__COUNT; i++) {
        if (fact_rows[i].only_answer && !for_answers) continue;
        if (!strcmp(fact_rows[i].name, name)) return (Fact)i;
        known[n++] = fact_rows[i].name;
    }
    if (!for_answers) known[n++] = "time";
    known[n] = NULL;
    unknown_key(r, in, name, known);
    return FACT__COUNT;
}

static void read_limit(Reader *r, const char *name, struct json_object *value) {
    if (!strcmp(name, "time")) {
        r->e->most_time = number_of(r, name, value, 0.1);
        return;
    }
    Fact fact = fact_of(r, " of `limits`", name, false);
    if (fact == FACT__COUNT) return;
    Limit *l = &r->e->limits[fact];
    if (json_object_is_type(value, json_type_int) && json_object_get_int64(value) >= 0) {
        *l = (Limit){LIMIT_NUMBER, json_object_get_int64(value)};
    } else if (json_object_is_type(value, json_type_string) && !strcmp(json_object_get_string(value), "solution")) {
        *l = (Limit){.kind = LIMIT_SOLUTION};
    } else {
        problem(r, "the limit `%s` must be a number, 0 or more, or \"solution\"", name);
    }
}

static bool is_object(Reader *r, const char *key, struct json_object *o, const char *such) {
    if (json_object_is_type(o, json_type_object)) return true;
    problem(r, "`%s` must be an object: %s", key, such);
    return false;
}

static void read_limits(Reader *r, struct json_object *all) {
    if (!is_object(r, "limits", all, "{\"races\": 0, ...}")) return;
    json_object_object_foreach(all, name, value) read_limit(r, name, value);
}

static void read_answers(Reader *r, struct json_object *all) {
    if (!is_object(r, "answers", all, "{\"pairs\": \"races\", ...}")) return;
    json_object_object_foreach(all, constant, fact) {
        if (!json_object_is_type(fact, json_type_string)) {
            problem(r, "the answer `%s` must be the name of what is counted, as in {\"%s\": \"races\"}; its value is "
                       "computed from the program", constant, constant);
            continue;
        }
        Fact f = fact_of(r, " for `answers`", json_object_get_string(fact), true);
        Answer a = {arena_strndup(&r->c->arena, constant, strlen(constant)), f};
        if (f != FACT__COUNT) vec_push(&r->c->arena, &r->e->answers, a);
    }
}

static void read_must_race(Reader *r, struct json_object *list) {
    bool is_list = json_object_is_type(list, json_type_array);
    if (!is_list) problem(r, "`must_race` must be a list of names of tests");
    else if (!json_object_array_length(list)) problem(r, "`must_race` names no test: leave it out");
    for (size_t i = 0; is_list && i < json_object_array_length(list); i++)
        vec_push(&r->c->arena, &r->e->must_race,
                 text_of(r, "must_race", json_object_array_get_idx(list, i)));
}

/* Files ------------------------------------------------------------------------------------------------------------ */

/* Relative to the exercise's file. */
static const char *path_from(Reader *r, const char *path) {
    const char *slash = strrchr(r->e->path, '/');
    if (*path == '/' || !slash) return path;
    return arena_printf(&r->c->arena, "%.*s/%s", (int)(slash - r->e->path), r->e->path, path);
}

static const char *name_of_file(Arena *arena, const char *path) {
    const char *slash = strrchr(path, '/'), *start = slash ? slash + 1 : path, *dot = strrchr(start, '.');
    return arena_strndup(arena, start, dot ? (size_t)(dot - start) : strlen(start));
}

static void need_file(Reader *r, const char *key, const char *path) {
    if (access(path, R_OK)) problem(r, "`%s` names `%s`, which cannot be read", key, path);
}

/* Each test that must race is one of the checker: otherwise nothing would be graded. */
static void check_must_race(Reader *r) {
    Exercise *e = r->e;
    Compiler own;
    const char *why;
    compiler_init(&own);
    Source *source = source_read(&own.sources, e->checker, SOURCE_FILE, &why);
    Module *checker = source ? parse_source(&own, source, NULL) : NULL;
    Vec(const char *) tests = {0};
    for (int i = 0; checker && i < checker->items.n; i++)
        if (checker->items.at[i]->kind == ITEM_TEST) vec_push(&own.arena, &tests, checker->items.at[i]->name);
    bool is_whole = !own.diags.n_errors; /* else the errors are what to mend first: measure() tells them */
    vec_push(&own.arena, &tests, NULL);
    for (int i = 0; checker && is_whole && i < e->must_race.n; i++) {
        const char *name = e->must_race.at[i];
        int k = 0;
        while (tests.at[k] && strcmp(tests.at[k], name)) k++;
        if (tests.at[k]) continue;
        problem(r, "`must_race` names the test `%s`, but `%s` has no such test%s%s", name, e->checker,
                tests.n > 1 ? "; " : "", tests.n > 1 ? instead(r, name, tests.at, "tests") : "");
    }
    compiler_free(&own);
}

static const char *const keys[] = {"title",   "text",      "checker", "solution", "limits", "program",
                                   "answers", "must_race", "seconds", "megabytes", NULL};

static void read_key(Reader *r, const char *key, struct json_object *value) {
    Exercise *e = r->e;
    if (!strcmp(key, "title")) e->title = text_of(r, key, value);
    else if (!strcmp(key, "text")) text_of(r, key, value); /* for the page of the lesson */
    else if (!strcmp(key, "checker")) e->checker = path_from(r, text_of(r, key, value));
    else if (!strcmp(key, "solution")) e->solution = path_from(r, text_of(r, key, value));
    else if (!strcmp(key, "program")) e->program = path_from(r, text_of(r, key, value));
    else if (!strcmp(key, "limits")) read_limits(r, value);
    else if (!strcmp(key, "answers")) read_answers(r, value);
    else if (!strcmp(key, "must_race")) read_must_race(r, value);
    else if (!strcmp(key, "seconds")) e->seconds = number_of(r, key, value, 0.01);
    else if (!strcmp(key, "megabytes")) e->megabytes = (int64_t)number_of(r, key, value, 64);
    else unknown_key(r, "", key, keys);
}

static void find_files(Reader *r) {
    Exercise *e = r->e;
    Arena *arena = &r->c->arena;
    const char *checker = path_from(r, arena_printf(arena, "%s_check.kdsl", e->name));
    const char *solution = path_from(r, arena_printf(arena, "../solutions/%s.kdsl", e->name));
    if (!e->checker && !e->program) e->checker = checker;
    if (!e->solution && !access(solution, R_OK)) e->solution = solution;
    if (e->checker) need_file(r, "checker", e->checker);
    if (e->program) need_file(r, "program", e->program);
    if (e->solution) need_file(r, "solution", e->solution);
    if (!e->program != !e->answers.n) problem(r, "`program` and `answers` belong together");
    if (exercise_needs_solution(e) && !e->solution)
        problem(r, "a limit is that of the solution, but there is no `%s`; name it with `solution`", solution);
}

bool exercise_read(Compiler *c, const char *path, Exercise *e) {
    const char *why;
    *e = (Exercise){.path = path, .name = name_of_file(&c->arena, path), .seconds = 5, .megabytes = 1024};
    Reader r = {c, e, true};
    Source *source = source_read(&c->sources, path, SOURCE_FILE, &why);
    if (!source) {
        report_unreadable(c, path, why);
        return false;
    }
    struct json_tokener *t = json_tokener_new();
    struct json_object *all = json_tokener_parse_ex(t, source->text, (int)source->n);
    size_t end = json_tokener_get_parse_end(t);
    if (!json_object_is_type(all, json_type_object)) {
        enum json_tokener_error error = json_tokener_get_error(t);
        int line = 1;
        for (size_t i = 0; i < end && i < source->n; i++) line += source->text[i] == '\n';
        if (error) problem(&r, "line %d is not JSON: %s", line, json_tokener_error_desc(error));
        else problem(&r, "an exercise is an object in JSON, {\"title\": ...}");
    } else {
        json_object_object_foreach(all, key, value) read_key(&r, key, value);
        if (!e->title) e->title = e->name;
        find_files(&r);
        if (e->must_race.n && r.ok && !e->checker) problem(&r, "`must_race` needs a checker");
        else if (e->must_race.n && r.ok) check_must_race(&r);
    }
    json_object_put(all);
    json_tokener_free(t);
    return r.ok;
}

bool exercise_needs_solution(const Exercise *e) {
    for (int i = 0; i < FACT__COUNT; i++)
        if (e->limits[i].kind == LIMIT_SOLUTION) return true;
    return e->most_time > 0;
}

unsigned exercise_sources(const Exercise *e) {
    unsigned sources = 0;
    for (int i = 0; i < FACT__COUNT; i++)
        if (e->limits[i].kind) sources |= fact_rows[i].source;
    return sources;
}
