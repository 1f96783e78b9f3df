/* measure.c -- the facts of a submission, or of a program that an exercise is about: compiles it as the compiler does,
 * asks the analyses, and runs its tests. */
#include <json-c/json.h>
#include <stdlib.h>
#include <string.h>

#include "driver/generate.h"
#include "driver/grade/grade.h"
#include "driver/link.h"
#include "driver/meant.h"
#include "driver/stdlib.h"
#include "driver/told.h"
#include "irgen/irgen.h"
#include "lexer/lexer.h"
#include "runtime/runtime.h"
#include "sema/races/races.h"
#include "sema/sema.h"

enum { MOST_PLACES = 3 };

typedef struct Copied {
    const char *array;
    int64_t line, bytes, n;
    bool to, for_host_code; /* then line is that of the launch that brought the array to the device */
} Copied;

typedef struct Launched {
    const char *kernel;
    int64_t line, n;
} Launched;

typedef struct Measure {
    Compiler *c;
    const Options *o;
    const Exercise *e;
    MeasureKind kind;
    const char *path;
    Program *program;
    Times times;
    Measured *m;
    int n_places[FACT__COUNT];
    Vec(Copied) copied;
    Vec(Launched) launched;
    bool detects;     /* with the run-time detector of data races */
    int assumed_line; /* of a pair that is free of races only as far as an `assume` holds; 0: none */
} Measure;

static bool is_in(const Measure *x, const char *file) { return file && !strcmp(file, x->path); }

static bool is_own(const Measure *x, const Func *f) {
    return is_in(x, source_place(&x->c->sources, f->name_span.lo).file->path);
}

static void count(Measure *x, Fact fact, int line, const char *format, ...) __attribute__((format(printf, 4, 5)));
static void count(Measure *x, Fact fact, int line, const char *format, ...) {
    va_list ap;
    x->m->value[fact]++;
    if (x->n_places[fact]++ >= MOST_PLACES) return;
    va_start(ap, format);
    buf_printf(&x->m->where[fact], "line %d: %s\n", line, arena_vprintf(&x->c->arena, format, ap));
    va_end(ap);
}

static void begin(Measure *x, Fact fact, int64_t value) { x->m->value[fact] = value; }

/* The analyses of the checked program ------------------------------------------------------------------------------ */

static int line_at(const Measure *x, Span span) { return source_place(&x->c->sources, span.lo).line; }

static void count_pair(Measure *x, const RacePair *r) {
    int lines[2] = {line_at(x, r->at[0]), line_at(x, r->at[1])}, first = lines[1] < lines[0];
    if (r->verdict == RACE_FREE && r->is_assumed && !x->assumed_line) x->assumed_line = lines[0];
    if (r->verdict == RACE_FREE) return;
    if (r->verdict >= RACE_BENIGN && x->m->value[FACT_RACE_LINE_1] < 0) {
        x->m->value[FACT_RACE_LINE_1] = lines[first];
        x->m->value[FACT_RACE_LINE_2] = lines[!first];
    }
    if (r->verdict == RACE_UNKNOWN)
        count(x, FACT_RACES, lines[0], "%s of `%s` and %s of `%s` in line %d: not proven free of a data race",
              r->mode[0], r->text[0], r->mode[1], r->text[1], lines[1]);
    else
        count(x, FACT_RACES, lines[0], "a data race: %s of `%s`, and %s of `%s` in line %d", r->mode[0], r->text[0],
              r->mode[1], r->text[1], lines[1]);
}

static void count_races(Measure *x) {
    begin(x, FACT_RACES, 0);
    for (int i = 0; i < x->program->funcs.n; i++) {
        const Func *f = x->program->funcs.at[i];
        if (!f->is_kernel || !is_own(x, f) || !f->races) continue;
        for (int k = 0; k < f->races->pairs.n; k++) count_pair(x, &f->races->pairs.at[k]);
        if (f->races->failed)
            count(x, FACT_RACES, line_at(x, f->name_span), "kernel `%s`: %s", f->name, f->races->failed);
    }
}

static void count_checks(Measure *x) {
    CheckNotes notes = check_notes(x->program);
    begin(x, FACT_CHECKS, 0);
    for (int i = 0; i < notes.n; i++) {
        const CheckNote *n = &notes.at[i];
        if (n->fate == CHECK_KEPT && is_in(x, n->file))
            count(x, FACT_CHECKS, n->line, "`%s` (%s): %s", n->text, n->kind, n->why ? n->why : "");
    }
}

/* Generated code --------------------------------------------------------------------------------------------------- */

static void count_access(Measure *x, const LaunchAccessNote *a) {
    bool is_global = !strcmp(a->memory, "global"), is_shared = !strcmp(a->memory, "shared");
    int64_t *v = x->m->value;
    if (!strcmp(a->mode, "atomic")) count(x, FACT_ATOMICS, a->line, "`%s`", a->text);
    if (!a->known) return;
    if (is_global && a->sectors > a->least)
        count(x, FACT_UNCOALESCED, a->line, "`%s` touches %d sectors for a warp; %d would be enough", a->text,
              a->sectors, a->least);
    if (is_global && a->sectors > v[FACT_SECTORS]) {
        v[FACT_SECTORS] = a->sectors;
        x->m->where[FACT_SECTORS].n = 0;
        buf_printf(&x->m->where[FACT_SECTORS], "line %d: `%s`\n", a->line, a->text);
    }
    if (is_shared && a->ways > v[FACT_CONFLICTS]) {
        v[FACT_CONFLICTS] = a->ways;
        x->m->where[FACT_CONFLICTS].n = 0;
        buf_printf(&x->m->where[FACT_CONFLICTS], "line %d: `%s`\n", a->line, a->text);
    }
}

static void tell_how_many_more(Measure *x) {
    for (int i = 0; i < FACT__COUNT; i++)
        if (x->n_places[i] > MOST_PLACES) buf_printf(&x->m->where[i], "and %d more\n", x->n_places[i] - MOST_PLACES);
}

static bool count_launch_facts(Measure *x) {
    LaunchKernels kernels;
    Options o = *x->o;
    const char *why;
    o.command = COMMAND_BUILD;
    o.archs = (Archs){0};
    archs_parse(&o.archs, &x->c->arena, "sm_90", &why);
    if (!told_launch(x->program, &o, false, &x->times, &kernels)) return false;
    begin(x, FACT_UNCOALESCED, 0);
    begin(x, FACT_SECTORS, 0);
    begin(x, FACT_CONFLICTS, 0);
    begin(x, FACT_DIVERGENT, 0);
    begin(x, FACT_BARRIERS, 0);
    begin(x, FACT_ATOMICS, 0);
    for (int i = 0; i < kernels.n; i++) {
        const LaunchKernel *k = &kernels.at[i];
        if (!is_in(x, k->file)) continue;
        x->m->value[FACT_BARRIERS] += k->barriers;
        for (int j = 0; j < k->accesses.n; j++) count_access(x, &k->accesses.at[j]);
        for (int j = 0; j < k->branches.n; j++) {
            const LaunchBranchNote *b = &k->branches.at[j];
            if (!b->only_edges)
                count(x, FACT_DIVERGENT, b->line, "%s `%s`: %s", b->is_loop ? "loop" : "condition", b->text,
                      launch_branch_text(b));
        }
    }
    return true;
}

static void count_remarks(Measure *x, const VectorNest *n) {
    for (int i = 0; i < n->remarks.n; i++) {
        const VectorRemark *r = &n->remarks.at[i];
        bool counts = r->is_scalar || !strcmp(r->kind, "gather") || !strcmp(r->kind, "scatter");
        if (counts) count(x, FACT_GATHERS, r->line, "%s", r->text);
    }
}

static bool count_vector_facts(Measure *x) {
    IrResult result;
    bool ok = told_vector(x->program, x->o, &result);
    begin(x, FACT_SCALAR, 0);
    begin(x, FACT_GATHERS, 0);
    for (int i = 0; ok && i < result.vector->nests.n; i++) {
        const VectorNest *n = &result.vector->nests.at[i];
        if (!is_in(x, n->file)) continue;
        if (!n->is_vector)
            count(x, FACT_SCALAR, n->line, "kernel `%s`: %s", n->kernel, n->head.n ? n->head.at[0].text : "");
        else count_remarks(x, n);
    }
    ir_result_free(&result);
    return ok;
}

/* Running ---------------------------------------------------------------------------------------------------------- */

static bool make_program(Measure *x, Blob *out) {
    Code code = code_plan(&x->c->arena, x->program, x->o);
    bool ok = code_generate(&code, &x->times) && link_program(x->program, x->o, &code, "", out, &x->times);
    code_free(&code);
    return ok;
}

static int64_t number(struct json_object *o, const char *key) {
    return json_object_get_int64(json_object_object_get(o, key));
}

/* One place for all tests. */
static void add_copied(Measure *x, Copied c) {
    for (int i = 0; i < x->copied.n; i++) {
        Copied *old = &x->copied.at[i];
        if (old->line != c.line || old->to != c.to || old->for_host_code != c.for_host_code ||
            strcmp(old->array, c.array))
            continue;
        old->bytes += c.bytes;
        old->n += c.n;
        return;
    }
    c.array = arena_printf(&x->c->arena, "%s", c.array);
    vec_push(&x->c->arena, &x->copied, c);
}

static void add_launch(Measure *x, struct json_object *row, int64_t n) {
    struct json_object *place = json_object_object_get(row, "place");
    const char *kernel = json_object_get_string(json_object_object_get(row, "kernel"));
    int64_t line = place ? number(place, "line") : 0;
    if (!kernel || !place) return;
    for (int i = 0; i < x->launched.n; i++) {
        Launched *old = &x->launched.at[i];
        if (old->line != line || strcmp(old->kernel, kernel)) continue;
        old->n += n;
        return;
    }
    vec_push(&x->c->arena, &x->launched, ((Launched){arena_printf(&x->c->arena, "%s", kernel), line, n}));
}

static void tell_launched(Measure *x) {
    for (int i = 0; i < x->launched.n && i < 2 * MOST_PLACES; i++) {
        const Launched *l = &x->launched.at[i];
        buf_printf(&x->m->where[FACT_LAUNCHES], "line %lld: kernel `%s`: %lld launch%s\n", (long long)l->line,
                   l->kernel, (long long)l->n, l->n == 1 ? "" : "es");
    }
    int more = x->launched.n - 2 * MOST_PLACES;
    if (more > 0) buf_printf(&x->m->where[FACT_LAUNCHES], "and %d more places\n", more);
}

static void add_row(Measure *x, struct json_object *row) {
    const char *kind = json_object_get_string(json_object_object_get(row, "kind"));
    bool to = !strcmp(kind, "to device"), from = !strcmp(kind, "from device");
    int64_t *v = x->m->value, bytes = number(row, "bytes"), n = number(row, "n");
    if (!strcmp(kind, "launch")) v[FACT_LAUNCHES] += n, add_launch(x, row, n);
    if (!to && !from) return;
    v[FACT_COPIES] += n;
    v[FACT_BYTES] += bytes;
    v[to ? FACT_TO_DEVICE : FACT_FROM_DEVICE] += bytes;
    struct json_object *place = json_object_object_get(row, "place"), *of = json_object_object_get(row, "of");
    const char *array = json_object_get_string(json_object_object_get(row, "array"));
    if (array && (place || of))
        add_copied(x, (Copied){array, number(place ? place : of, "line"), bytes, n, to, !place});
}

static int by_bytes(const void *a, const void *b) {
    const Copied *x = a, *y = b;
    if (x->bytes != y->bytes) return x->bytes < y->bytes ? 1 : -1;
    if (x->line != y->line) return x->line > y->line ? 1 : -1;
    if (x->to != y->to) return x->to ? -1 : 1;
    int order = strcmp(x->array, y->array);
    return order ? order : x->for_host_code - y->for_host_code;
}

static int by_number_of_copies(const void *a, const void *b) {
    const Copied *x = a, *y = b;
    if (x->n != y->n) return x->n < y->n ? 1 : -1;
    return by_bytes(a, b);
}

/* Those that matter most come first. */
static void tell_copied(Measure *x, Fact fact, int (*order)(const void *, const void *)) {
    if (x->copied.n) qsort(x->copied.at, (size_t)x->copied.n, sizeof *x->copied.at, order);
    for (int i = 0; i < x->copied.n && i < 2 * MOST_PLACES; i++) {
        const Copied *c = &x->copied.at[i];
        buf_printf(&x->m->where[fact], "line %lld: `%s` %s the device%s: %s bytes in %lld cop%s\n",
                   (long long)c->line, c->array, c->to ? "to" : "from", c->for_host_code ? " for host code" : "",
                   with_commas(&x->c->arena, c->bytes), (long long)c->n, c->n == 1 ? "y" : "ies");
    }
}

/* Each process of the run has written one value. */
static bool add_profile(Measure *x, const Buf *text) {
    struct json_tokener *t = json_tokener_new();
    size_t at = 0;
    bool any = false;
    for (Fact f = FACT_LAUNCHES; f <= FACT_FROM_DEVICE; f++) begin(x, f, 0);
    while (at < text->n) {
        struct json_object *all = json_tokener_parse_ex(t, text->at + at, (int)(text->n - at));
        if (!all) break;
        at += json_tokener_get_parse_end(t);
        struct json_object *rows = json_object_object_get(all, "rows");
        for (size_t i = 0; rows && i < json_object_array_length(rows); i++)
            add_row(x, json_object_array_get_idx(rows, i));
        any = true;
        json_object_put(all);
        while (at < text->n && strchr(" \n", text->at[at])) at++;
    }
    json_tokener_free(t);
    tell_launched(x);
    tell_copied(x, FACT_BYTES, by_bytes);
    tell_copied(x, FACT_COPIES, by_number_of_copies);
    return any;
}

static double seconds_of(const Buf *results) {
    TestResult r;
    double sum = 0;
    for (size_t at = 0; results_take(results, &at, &r);) sum += results_seconds(&r);
    return sum;
}

static RunLimits limits_of(const Measure *x) {
    int n = x->program->tests.n;
    return (RunLimits){.seconds = x->e->seconds * (n ? n : 1) + 2, .test_seconds = x->e->seconds,
                       .megabytes = x->e->megabytes};
}

static void run(Measure *x, Blob program) {
    Sandbox s = sandbox_find(x->c);
    Buf profile = {0}, said = {0};
    const char *why;
    RunLimits limits = limits_of(x);
    x->m->n_tests = x->program->tests.n;
    x->m->runs = sandbox_run(x->c, &s, program, &limits, &x->m->results, &profile, &said, &why);
    const char *printed = said.n ? said.at : "";
    if (!x->m->runs) buf_printf(&x->m->said, "the program cannot be graded: %s\n", why);
    else if (!add_profile(x, &profile)) buf_printf(&x->m->said, "the program left no profile: %s\n", printed);
    x->m->seconds = seconds_of(&x->m->results);
    buf_free(&profile);
    buf_free(&said);
}

/* Checking --------------------------------------------------------------------------------------------------------- */

/* "reads the clock"; NULL: the function may do all that it does. */
static const char *what_is_refused(const Func *f) {
    if (f->is_extern) return "is a C function";
    if (f->effects & EFFECT_IO) return func_effect_reason(f, EFFECT_IO);
    if (f->effects & EFFECT_EXTERN) return "uses C, itself or through the standard library";
    return NULL;
}

static bool refuse(Measure *x) {
    for (int i = 0; i < x->program->funcs.n; i++) {
        const Func *f = x->program->funcs.at[i];
        const char *what = is_own(x, f) ? what_is_refused(f) : NULL;
        if (!what) continue;
        buf_printf(&x->m->said, "%s:%d: `%s` %s: a submission cannot call C functions, use files, standard "
                                "input or the clock, or end the program\n",
                   x->path, line_at(x, f->name_span), f->name, what);
        return true;
    }
    return false;
}

static void tell_diagnostics(Measure *x) { diags_print(x->c, &x->m->said, false); }

static bool has_read(const Compiler *c, const char *path) {
    for (int i = 0; i < c->sources.files.n; i++)
        if (!strcmp(c->sources.files.at[i]->path, path)) return true;
    return false;
}

/* Reported: nothing but blanks and comments. Otherwise only the checker would have errors. */
static bool is_empty(Measure *x) {
    Compiler own;
    Lexer lx;
    const char *why;
    compiler_init(&own);
    Source *source = source_read(&own.sources, x->path, SOURCE_FILE, &why);
    if (source) lex_init(&lx, &own, source);
    bool empty = source && lex_next(&lx).kind == TOK_END && !own.diags.n_errors;
    if (empty) buf_printf(&x->m->said, "%s:1:1: error: the file %s\n", x->path,
                          source->n ? "has no code, only blanks and comments" : "is empty");
    compiler_free(&own);
    return empty;
}

/* NULL: reported in m->said. */
static Program *check(Measure *x) {
    const char *why, *path = x->kind == MEASURE_SUBMISSION ? x->e->checker : x->path;
    if (is_empty(x)) return NULL;
    Source *source = source_read(&x->c->sources, path, SOURCE_FILE, &why);
    if (!source) {
        report_unreadable(x->c, path, why);
        tell_diagnostics(x);
        return NULL;
    }
    bool for_run = x->kind != MEASURE_CONSTANTS, tests = x->kind == MEASURE_SUBMISSION;
    SemaOptions how = {.stdlib = stdlib_modules, .need_main = for_run && !tests, .run_tests = tests,
                       .races_listed = !x->e->must_race.n, .host_fuses = irgen_host_fuses, .march = x->o->march,
                       .shadow = x->detects ? SHADOW_RACE : 0};
    if (tests) how.submission = (GivenModule){x->e->name, x->path};
    Module *module = parse_source(x->c, source, NULL);
    Program *program = x->c->diags.n_errors ? NULL : sema_check(x->c, module, &how);
    if (x->c->diags.n_errors) {
        tell_diagnostics(x);
        return NULL;
    }
    if (has_read(x->c, x->path)) return program;
    buf_printf(&x->m->said, "the checker `%s` does not `import %s;`\n", path, x->e->name);
    return NULL;
}

static void find_constants(Measure *x) {
    for (int i = 0; i < x->e->answers.n; i++) {
        Const *found = NULL;
        for (int k = 0; k < x->program->consts.n; k++)
            if (!strcmp(x->program->consts.at[k]->name, x->e->answers.at[i].constant))
                found = &x->program->consts.at[k]->konst;
        vec_push(&x->c->arena, &x->m->constants, found);
    }
}

static bool prepare(Measure *x) {
    x->program = check(x);
    if (!x->program || (x->kind == MEASURE_SUBMISSION && refuse(x))) return false;
    x->m->compiles = true;
    return true;
}

/* Where a proof rests on an `assume` of the submission, the detector looks for a race in the tests. */
static void try_assumptions(Measure *x) {
    Compiler own;
    Measured m = {0};
    Blob program = {0};
    TestResult r;
    compiler_init(&own);
    Measure y = {.c = &own, .o = x->o, .e = x->e, .kind = x->kind, .path = x->path, .m = &m, .detects = true};
    if (prepare(&y) && make_program(&y, &program)) run(&y, program);
    for (size_t at = 0; results_take(&m.results, &at, &r);)
        if (r.why.n == strlen(KDSL_WHY_FOUND) && !memcmp(r.why.at, KDSL_WHY_FOUND, r.why.n))
            count(x, FACT_RACES, x->assumed_line,
                  "what `assume` claims does not hold: in the test `%.*s` there is a data race", (int)r.name.n,
                  r.name.at);
    blob_free(&program);
    measure_free(&m);
    compiler_free(&own);
}

/* The detector's program is accepted with races that are proven; without it they are errors, where the exercise does
 * not count them. */
static bool is_accepted(const Measure *with_detector) {
    Compiler own;
    Measure x = *with_detector;
    x.c = &own;
    x.detects = false;
    compiler_init(&own);
    bool ok = prepare(&x);
    x.m->compiles = false;
    compiler_free(&own);
    return ok;
}

void measure(Compiler *c, const Options *o, const Exercise *e, MeasureKind kind, const char *path, unsigned sources,
             Measured *m) {
    Options own = *o;
    const char *why;
    Measure x = {.c = c, .o = &own, .e = e, .kind = kind, .path = path, .m = m,
                 .detects = e->must_race.n > 0};
    own.command = kind == MEASURE_SUBMISSION ? COMMAND_TEST : COMMAND_RUN;
    archs_parse(&own.archs, &c->arena, "host", &why);
    *m = (Measured){0};
    for (int i = 0; i < FACT__COUNT; i++) m->value[i] = UNKNOWN;
    if ((x.detects && !is_accepted(&x)) || !prepare(&x)) return;
    if (kind == MEASURE_CONSTANTS) {
        find_constants(&x);
        return;
    }
    Blob program = {0};
    bool ok = true;
    if (sources & SOURCE_CHECK) count_races(&x), count_checks(&x);
    if (sources & SOURCE_VECTOR) ok = ok && count_vector_facts(&x);
    if (sources & SOURCE_LAUNCH) ok = ok && count_launch_facts(&x);
    if (sources & SOURCE_RUN) ok = ok && make_program(&x, &program);
    if (!ok) tell_diagnostics(&x);
    tell_how_many_more(&x);
    m->compiles = ok;
    if (ok && sources & SOURCE_RUN) run(&x, program);
    if (m->runs && x.assumed_line && kind == MEASURE_SUBMISSION && !x.detects) try_assumptions(&x);
    blob_free(&program);
}

void measure_free(Measured *m) {
    buf_free(&m->said);
    buf_free(&m->results);
    for (int i = 0; i < FACT__COUNT; i++) buf_free(&m->where[i]);
}

bool measure_times(Compiler *c, const Options *o, const Exercise *e, const char *const path[2], double seconds[2]) {
    enum { N_RUNS = 3 };
    Options own = *o;
    const char *why;
    Measured m[2] = {{0}, {0}};
    Measure x[2];
    Blob program[2] = {{0}, {0}};
    bool ok = true;
    own.command = COMMAND_TEST;
    archs_parse(&own.archs, &c->arena, "host", &why);
    for (int i = 0; i < 2 && ok; i++) {
        x[i] = (Measure){.c = c, .o = &own, .e = e, .kind = MEASURE_SUBMISSION, .path = path[i], .m = &m[i]};
        ok = prepare(&x[i]) && make_program(&x[i], &program[i]);
    }
    for (int k = 0; k < N_RUNS && ok; k++)
        for (int i = 0; i < 2 && ok; i++) {
            m[i].results.n = 0;
            run(&x[i], program[i]);
            ok = m[i].runs;
            if (!k || m[i].seconds < seconds[i]) seconds[i] = m[i].seconds;
        }
    for (int i = 0; i < 2; i++) blob_free(&program[i]), measure_free(&m[i]);
    return ok;
}
