/* plan_text.c -- the plan of a nest as a line of text for each version, printed by --explain=vector and read by
 * --nest-plan:
 *
 *     plan KERNEL.NEST.VERSION for=all lanes=8 vectors=3 rows=1 start=aligned tail=masked stream=nest split=no
 *
 * A file for --nest-plan has such lines; other lines are comments, so the output of --explain=vector is one. What a
 * line names replaces what was decided, as far as that is legal: a tail overlaps only where items may run twice. */
#include "irgen/simd/nest.h"

#include <string.h>

static const char *const starts[] = {
    [START_FIRST] = "first", [START_ALIGNED] = "aligned", [START_MULTIPLE] = "multiple"};
static const char *const tails[] = {
    [TAIL_NONE] = "none", [TAIL_MASKED] = "masked", [TAIL_OVERLAPPED] = "overlapped", [TAIL_HALVED] = "halved"};
static const char *const launches[] = {
    [LAUNCHES_ALL] = "all", [LAUNCHES_ALIGNED] = "aligned", [LAUNCHES_SHORT_PERIODS] = "short-periods"};
static const char *const streams[] = {
    [STREAM_NONE] = "none", [STREAM_BLOCK] = "block", [STREAM_ROW] = "row", [STREAM_NEST] = "nest"};

static const char *const splits[] = {[SPLIT_NONE] = "no", [SPLIT_BLOCKS] = "blocks", [SPLIT_ROWS] = "rows"};

/* "kdsl.kernel.saxpy" is saxpy. */
static const char *kernel_of(LLVMValueRef fn) {
    size_t n;
    const char *name = LLVMGetValueName2(fn, &n), *dot = strchr(name, '.');
    return dot ? dot + 1 : name;
}

void nest_note_plan(const NestContext *n, const NestPlan *plan) {
    VectorNotes *notes = n->cg->vector_notes;
    for (int i = 0; i < plan->n && notes; i++) {
        const NestVersion *v = &plan->at[i];
        VectorPlan row = {i + 1,          launches[v->launches], starts[v->start],
                          tails[v->tail], streams[v->stream],    splits[v->split],
                          v->shape.width, v->shape.vectors,      v->shape.rows,
                          v->band,        v->unrolled,           n->g->tile};
        vec_push(&notes->arena, &notes->nests.at[notes->nests.n - 1].plans, row);
    }
}

/* Lines ------------------------------------------------------------------------------------------------------------ */

static const char PLAN[] = "plan ";

/* "plan KERNEL.NEST.VERSION KEY=VALUE ...", after spaces; NULL: this is another line, a comment. */
static const char *plan_in(const char *line) {
    line += strspn(line, " \t");
    return strncmp(line, PLAN, sizeof PLAN - 1) ? NULL : line + sizeof PLAN - 1;
}

static const char *next_line(const char *at) {
    const char *end = strchr(at, '\n');
    return end ? end + 1 : NULL;
}

static const char *next_word(const char *at) {
    at += strcspn(at, " \n");
    return at + strspn(at, " ");
}

/* What follows the name of this version; NULL: there is no such line. */
static const char *line_of(const NestContext *n, int version) {
    const char *name = arena_printf(&n->cg->c->arena, "%s.%d.%d ", kernel_of(n->g->fn), n->number, version + 1);
    for (const char *at = n->cg->options->nest_plan; at; at = next_line(at)) {
        const char *plan = plan_in(at);
        if (plan && !strncmp(plan, name, strlen(name))) return plan + strlen(name);
    }
    return NULL;
}

/* The value of `key` in a line: where it begins and its length; 0: the line does not have it. */
static size_t find(const char *line, const char *key, const char **value) {
    size_t n = strlen(key);
    for (const char *at = line; *at && *at != '\n'; at = next_word(at))
        if (!strncmp(at, key, n) && at[n] == '=') {
            *value = at + n + 1;
            return strcspn(*value, " \n");
        }
    return 0;
}

/* Keys ------------------------------------------------------------------------------------------------------------- */

static const char *const answers[] = {"no", "yes"};

enum { MOST_LANES = 64, MOST_COPIES = 16 };

/* Words, or a number up to `most`. */
static const struct {
    const char *key;
    const char *const *words;
    int most;
} keys[] = {{"for", launches, 3},
            {"lanes", NULL, MOST_LANES},
            {"vectors", NULL, MOST_COPIES},
            {"rows", NULL, MOST_COPIES},
            {"band", NULL, MOST_COPIES},
            {"start", starts, 3},
            {"tail", tails, 4},
            {"stream", streams, 4},
            {"split", splits, 3},
            {"unroll", answers, 2},
            {"tile", NULL, MOST_COPIES *MOST_LANES}};

static int number_in(const char *value, size_t n) {
    int number = 0;
    for (size_t i = 0; i < n && number <= MOST_LANES; i++) {
        if (value[i] < '0' || value[i] > '9') return 0;
        number = number * 10 + value[i] - '0';
    }
    return number;
}

static int word_in(const char *const *words, int n_words, const char *value, size_t n) {
    for (int i = 0; i < n_words; i++)
        if (strlen(words[i]) == n && !strncmp(value, words[i], n)) return i;
    return -1;
}

static bool is_known(const char *word) {
    for (size_t k = 0; k < sizeof keys / sizeof *keys; k++) {
        const char *value;
        size_t n = strncmp(word, keys[k].key, strlen(keys[k].key)) ? 0 : find(word, keys[k].key, &value);
        if (!n || value != word + strlen(keys[k].key) + 1) continue;
        if (keys[k].words) return word_in(keys[k].words, keys[k].most, value, n) >= 0;
        int number = number_in(value, n);
        return number >= 1 && number <= keys[k].most;
    }
    return false;
}

const char *simd_plan_problem(Arena *a, const char *text) {
    int number = 1;
    for (const char *at = text; at; at = next_line(at), number++) {
        const char *plan = plan_in(at);
        for (const char *word = plan ? next_word(plan) : "\n"; *word && *word != '\n'; word = next_word(word))
            if (!is_known(word))
                return arena_printf(a, "line %d: `%.*s` is not KEY=VALUE of a plan", number, (int)strcspn(word, " \n"),
                                    word);
    }
    return NULL;
}

/* Forcing ---------------------------------------------------------------------------------------------------------- */

static int number_of(const char *line, const char *key, int otherwise) {
    const char *value;
    size_t n = find(line, key, &value);
    return n ? number_in(value, n) : otherwise;
}

static int word_of(const char *line, const char *key, const char *const *words, int n_words, int otherwise) {
    const char *value;
    size_t n = find(line, key, &value);
    return n ? word_in(words, n_words, value, n) : otherwise;
}

static bool is_power_of_two(int n) { return (n & (n - 1)) == 0; }

/* Lanes: as many as the types and the machine have, or fewer. Rows: where the rates of several rows are known. */
static void force_shape(const NestContext *n, const char *line, NestVersion *v) {
    SimdShape s = {number_of(line, "rows", v->shape.rows), number_of(line, "vectors", v->shape.vectors),
                   number_of(line, "lanes", v->shape.width)};
    if (s.width < 2 || s.width > v->shape.width || !is_power_of_two(s.width)) s.width = v->shape.width;
    if (v->launches == LAUNCHES_ALIGNED && !is_power_of_two(s.vectors)) s.vectors = v->shape.vectors;
    if (!n->g->rows) s.rows = 1;
    if (!v->unrolled) v->shape = s;
}

void nest_force(const NestContext *n, int version, NestVersion *v) {
    const char *line = line_of(n, version);
    if (!line) return;
    force_shape(n, line, v);
    EdgeSplit split = (EdgeSplit)word_of(line, "split", splits, 3, (int)v->split);
    if (v->split == SPLIT_ROWS || (v->split && split != SPLIT_ROWS)) v->split = split;
    RowStart start = (RowStart)word_of(line, "start", starts, 3, (int)v->start);
    if (start == START_FIRST || (start == START_ALIGNED && v->align)) v->start = start;
    if (v->start != START_ALIGNED) v->align = NULL;
    RowStream stream = (RowStream)word_of(line, "stream", streams, 4, (int)v->stream);
    if (stream == STREAM_NONE || (stream == STREAM_ROW && v->align && v->shape.rows == 1)) v->stream = stream;
    if (!v->align && v->stream != STREAM_BLOCK) v->stream = STREAM_NONE;
    RowTail tail = (RowTail)word_of(line, "tail", tails, 4, (int)v->tail);
    bool may_change = v->tail != TAIL_NONE && v->stream != STREAM_NEST;
    v->band = nest_may_have_bands(n, v) ? number_of(line, "band", v->band) : 1;
    bool is_legal = tail == TAIL_MASKED || tail == TAIL_HALVED || (tail == TAIL_OVERLAPPED && v->idempotent);
    if (may_change && is_legal) v->tail = tail;
}
