/* decode.c -- PTX text to instructions: registers become numbers, labels places, variables offsets. */
#define _GNU_SOURCE
#include "tests/gpu/ptx/run.h"
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_NAMES = 1 << 16, MAX_LABELS = 8192, MAX_VARIABLES = 4096 };

typedef struct {
    const char *at;
    PtxProgram *program;
    PtxFunction *f;
    char (*names)[48]; /* registers of the function */
    int32_t *buckets;  /* of their hashes: number + 1 */
    struct {
        char name[64];
        int at;
    } labels[MAX_LABELS], jumps[MAX_LABELS]; /* jumps: to be resolved; `at` is the instruction */
    int n_labels, n_jumps;
    struct {
        char name[MOCK_NAME];
        uint32_t at;
    } variables[MAX_VARIABLES]; /* in the frame */
    int n_variables;
    bool failed;
    char why[256];
} Decoder;

static void fail(Decoder *d, const char *what, const char *text) {
    if (!d->failed) snprintf(d->why, sizeof d->why, "%s: %.150s", what, text);
    d->failed = true;
}

static const char *const SPECIALS[] = {
    "%tid.x",
    "%tid.y",
    "%tid.z",
    "%ntid.x",
    "%ntid.y",
    "%ntid.z",
    "%ctaid.x",
    "%ctaid.y",
    "%ctaid.z",
    "%nctaid.x",
    "%nctaid.y",
    "%nctaid.z",
    "%laneid",
    "%warpid",
    "%clock",
    "%clock64",
    "%dynamic_smem_size",
    "%lanemask_lt",
    "%lanemask_le",
    "%lanemask_eq",
    "%lanemask_ge",
    "%lanemask_gt",
    "%smid",
    "%nsmid",
    "%globaltimer",
    "%nwarpid",
};

static const char *skip(const char *at) {
    for (;;) {
        while (isspace((unsigned char)*at)) at++;
        if (at[0] == '/' && at[1] == '/') at += strcspn(at, "\n");
        else if (at[0] == '/' && at[1] == '*') at = strstr(at, "*/") ? strstr(at, "*/") + 2 : at + strlen(at);
        else return at;
    }
}

static bool in_word(char c) { return c && (isalnum((unsigned char)c) || strchr("_$%.", c)); }

static const char *word(const char *at, char *to, size_t size) {
    size_t n = 0;
    at = skip(at);
    while (in_word(at[n])) n++;
    snprintf(to, size, "%.*s", (int)n, at);
    return at + n;
}

/* Its number; -1 for one that is not there, unless `add`. */
static int find_reg(Decoder *d, const char *name, bool add) {
    uint32_t hash = 5381;
    for (const char *c = name; *c; c++) hash = hash * 33 + (uint8_t)*c;
    for (uint32_t b = hash % (2 * MAX_NAMES);; b = (b + 1) % (2 * MAX_NAMES)) {
        int i = d->buckets[b] - 1;
        if (i >= 0 && !strcmp(d->names[i], name)) return i;
        if (i >= 0) continue;
        if (!add) return -1;
        if (d->f->n_regs == MAX_NAMES) return fail(d, "too many registers", name), 0;
        snprintf(d->names[d->f->n_regs], sizeof d->names[0], "%s", name);
        d->buckets[b] = ++d->f->n_regs;
        return d->f->n_regs - 1;
    }
}

static int reg(Decoder *d, const char *name) { return find_reg(d, name, true); }

/* .reg .pred p, q; -- names that do not begin with % are no registers without it. */
static void declare_registers(Decoder *d, const char *at) {
    char name[160];
    while (*(at = skip(at)) && *at != ';') {
        const char *after = word(at, name, sizeof name);
        if (after > at && *name != '.' && *after != '<') reg(d, name);
        at = after > at ? after : at + 1;
    }
}

/* Types and modifiers ---------------------------------------------------------------------------------------------- */

static bool parse_type(const char *part, Type *t) {
    char *end;
    const char *digits = part + (!strncmp(part, "bf", 2) ? 2 : 1);
    if (!strcmp(part, "pred")) return *t = (Type){T_PRED, 1, 1}, true;
    if (!strchr("busf", part[0]) || !isdigit((unsigned char)*digits)) return false;
    unsigned long bits = strtoul(digits, &end, 10), lanes = *end == 'x' ? strtoul(end + 1, &end, 10) : 1;
    if (*end || bits > 128) return false;
    TypeKind kind = digits == part + 2 ? T_BF
                    : part[0] == 'b'   ? T_B
                    : part[0] == 'u'   ? T_U
                    : part[0] == 's'   ? T_S
                                       : T_F;
    *t = (Type){(uint8_t)kind, (uint8_t)bits, (uint8_t)lanes};
    return true;
}

static const struct {
    const char *name;
    uint32_t flag;
} MODIFIERS[] = {
#define X(name) {#name, MOD(name)},
    MODS(X)
#undef X
};

static const char *const COMPARISONS[] = {"eq", "ne",  "lt",  "le",  "gt",  "ge",  "lo",  "ls",  "hi",
                                          "hs", "equ", "neu", "ltu", "leu", "gtu", "geu", "num", "nan"};

static const char *const OPS[] = {
#define X(name, what) #name,
#include "tests/gpu/ptx/ops.def"
#undef X
};

static const char *const UPDATE_NAMES[] = {
#define X(name) #name,
    UPDATES(X)
#undef X
};

/* Its place in a list of names; -1: not there. */
static int find(const char *const *names, size_t n, const char *name) {
    for (size_t k = 0; k < n; k++)
        if (!strcmp(names[k], name)) return (int)k;
    return -1;
}

#define FIND(list, name) find(list, sizeof(list) / sizeof *(list), name)

static bool is_missing(const char *part, Op op) {
    bool alone = !strcmp(part, "cc") || !strcmp(part, "cluster") || !strcmp(part, "arrive");
    return alone || ((op == OP_bar || op == OP_barrier) && !strcmp(part, "red"));
}

/* op.mod.type.type: modifiers that change nothing here (spaces, scopes, orders, caches) pass unseen. */
static void parse_opcode(Decoder *d, Ins *i, const char *opcode) {
    char text[160], *save, *part;
    snprintf(text, sizeof text, "%s", opcode);
    part = strtok_r(text, ".", &save);
    int op = FIND(OPS, part ? part : ""), update;
    i->op = (uint8_t)(op < 0 ? 0 : op);
    bool compares = op == OP_setp || op == OP_set, updates = op == OP_atom || op == OP_red || op == OP_redux;
    bool known = op >= 0 && !updates;
    while ((part = strtok_r(NULL, ".", &save))) {
        Type t;
        if (parse_type(part, &t)) {
            if (!i->n_types++) i->type = t;
            i->from = t;
        }
        if (part[0] == 'v' && isdigit((unsigned char)part[1])) i->vector = (uint8_t)atoi(part + 1);
        if (compares && FIND(COMPARISONS, part) >= 0) i->compare = (uint8_t)FIND(COMPARISONS, part);
        if (compares && (!strcmp(part, "and") || !strcmp(part, "or") || !strcmp(part, "xor")))
            i->code = part[0] == 'a' ? 1 : part[0] == 'o' ? 2 : 3;
        if (updates && (update = FIND(UPDATE_NAMES, part)) >= 0) i->code = (uint8_t)update, known = true;
        if (is_missing(part, i->op)) known = false;
        for (size_t k = 0; k < sizeof MODIFIERS / sizeof *MODIFIERS; k++)
            if (!strcmp(part, MODIFIERS[k].name)) i->flags |= MODIFIERS[k].flag;
    }
    if (!known) fail(d, "no such instruction here", opcode);
}

/* Operands --------------------------------------------------------------------------------------------------------- */

static bool find_variable(const Decoder *d, const char *name, Arg *a) {
    for (int i = d->n_variables; i-- > 0;)
        if (!strcmp(d->variables[i].name, name)) {
            *a = (Arg){.kind = ARG_VARIABLE, .in_frame = true, .value = d->variables[i].at};
            return true;
        }
    for (int i = 0; i < d->program->n_shared; i++)
        if (!strcmp(d->program->shared[i].name, name)) {
            *a = (Arg){.kind = ARG_VARIABLE, .at = -1, .value = d->program->shared[i].at};
            return true;
        }
    MockGlobal *g = mock_find_global(d->program->image, name);
    if (g) *a = (Arg){.kind = ARG_IMM, .value = g->address};
    return g != NULL;
}

static Arg parse_scalar(Decoder *d, const char *text) {
    Arg a = {0};
    if (*text == '!') return a = parse_scalar(d, text + 1), a.negated = true, a;
    if (*text == '%') {
        for (size_t i = 0; i < sizeof SPECIALS / sizeof *SPECIALS; i++)
            if (!strcmp(text, SPECIALS[i])) return (Arg){.kind = ARG_SPECIAL, .at = (int32_t)i};
        return (Arg){.kind = ARG_REG, .at = reg(d, text)};
    }
    if (!strncmp(text, "0f", 2) || !strncmp(text, "0d", 2) || !strncmp(text, "0F", 2) || !strncmp(text, "0D", 2))
        return (Arg){.kind = ARG_IMM, .value = strtoull(text + 2, NULL, 16)};
    if (isdigit((unsigned char)*text) || *text == '-')
        return (Arg){.kind = ARG_IMM, .value = *text == '-' ? -strtoull(text + 1, NULL, 0) : strtoull(text, NULL, 0)};
    if (!strcmp(text, "_")) return a;
    int named = find_reg(d, text, false);
    if (named >= 0) return (Arg){.kind = ARG_REG, .at = named};
    if (!find_variable(d, text, &a)) fail(d, "no such name", text);
    return a;
}

/* [%rd1+-4] [name+8] [name] */
static Arg parse_memory(Decoder *d, const char *text) {
    char base[MOCK_NAME];
    const char *at = word(text + 1, base, sizeof base);
    at = skip(at);
    int64_t offset = 0;
    if (*at == '+' || *at == '-') offset = *at == '-' ? -strtoll(at + 1, NULL, 0) : strtoll(at + 1, NULL, 0);
    Arg b = parse_scalar(d, base), a = {.kind = ARG_MEMORY, .value = b.value + (uint64_t)offset};
    a.has_reg = b.kind == ARG_REG;
    a.in_frame = b.in_frame;
    a.at = b.kind == ARG_REG || b.kind == ARG_VARIABLE ? b.at : 0;
    a.negated = b.kind == ARG_VARIABLE && !b.in_frame; /* the address counts from the block's shared memory */
    return a;
}

static void parse_group(Decoder *d, Ins *i, int which, char *text) {
    char *save;
    for (char *part = strtok_r(text + 1, ",} \t\n", &save); part; part = strtok_r(NULL, ",} \t\n", &save))
        if (i->n_group[which] < MAX_GROUP) i->group[which][i->n_group[which]++] = parse_scalar(d, part);
}

static void parse_operand(Decoder *d, Ins *i, char *text) {
    if (i->n_args == MAX_ARGS) {
        fail(d, "too many operands", text);
        return;
    }
    Arg *a = &i->args[i->n_args++];
    char *second = strchr(text, '|'); /* %p|%q of shfl and setp: the second one is a group of one */
    if (*text == '{') parse_group(d, i, i->n_args - 1 > 0, text);
    else if (*text == '[') *a = parse_memory(d, text);
    else if (second) {
        *second = 0;
        *a = parse_scalar(d, text);
        i->group[0][i->n_group[0]++] = parse_scalar(d, second + 1);
    } else *a = parse_scalar(d, text);
}

static void add_jump(Decoder *d, const char *label) {
    if (d->n_jumps == MAX_LABELS) fail(d, "too many branches", label);
    if (d->failed) return;
    snprintf(d->jumps[d->n_jumps].name, sizeof d->jumps[0].name, "%.63s", label);
    d->jumps[d->n_jumps++].at = d->f->n_code - 1;
}

static void trim(char *text) {
    size_t n = strlen(text);
    while (n && isspace((unsigned char)text[n - 1])) text[--n] = 0;
}

/* call.uni (results), name, (arguments): names of parameters on both sides. */
static void parse_call(Decoder *d, Ins *i, const char *at) {
    char name[MOCK_NAME];
    i->target = -1;
    for (at = skip(at); *at && *at != ';'; at = skip(at)) {
        if (*at == '(') {
            int which = i->target >= 0;
            for (at = skip(at + 1); *at && *at != ')'; at = skip(at)) {
                at = skip(word(at, name, sizeof name));
                if (i->n_group[which] < MAX_GROUP) i->group[which][i->n_group[which]++] = parse_scalar(d, name);
                if (*at == ',') at++;
            }
            at++;
        } else if (in_word(*at)) {
            at = word(at, name, sizeof name);
            i->target = ptx_find(d->program, name);
            if (i->target < 0) fail(d, "call of what is not there", name);
        } else at++;
    }
}

static Ins *add_instruction(PtxFunction *f, const char *text) {
    enum { MORE = 256 };
    if (f->n_code % MORE == 0) f->code = realloc(f->code, (size_t)(f->n_code + MORE) * sizeof *f->code);
    f->code[f->n_code] = (Ins){.guard = -1, .target = -1, .text = text};
    return &f->code[f->n_code++];
}

static void parse_instruction(Decoder *d, const char *at) {
    Ins *i = add_instruction(d->f, at);
    char name[160];
    if (*at == '@') {
        i->guard_not = at[1] == '!';
        at = word(at + 1 + i->guard_not, name, sizeof name);
        i->guard = reg(d, name);
    }
    at = skip(word(at, name, sizeof name));
    parse_opcode(d, i, name);
    d->program->has_barriers |= (i->op == OP_bar || i->op == OP_barrier) && !(i->flags & MOD(warp));
    if (i->op == OP_call) {
        parse_call(d, i, at);
        return;
    }
    while (*at && *at != ';' && !d->failed) {
        char operand[512];
        size_t n = *at == '{' ? strcspn(at, "}") + 1 : *at == '[' ? strcspn(at, "]") + 1 : strcspn(at, ",;");
        snprintf(operand, sizeof operand, "%.*s", (int)n, at);
        trim(operand);
        at = skip(at + n);
        if (*at == ',') at = skip(at + 1);
        if (i->op == OP_bra || i->op == OP_brx)
            *operand == '%' ? (void)(i->args[i->n_args++] = parse_scalar(d, operand)) : add_jump(d, operand);
        else parse_operand(d, i, operand);
    }
}

/* Variables -------------------------------------------------------------------------------------------------------- */

/* After the space: .align 4 .b8 name[12]; gives back where it ends. */
static const char *parse_variable(const char *at, char *name, uint32_t *n_bytes, uint32_t *align) {
    char part[MOCK_NAME];
    Type t = {0};
    bool pointer = false;
    *align = 0;
    for (at = word(at, part, sizeof part); *part == '.'; at = word(at, part, sizeof part)) {
        if (!strcmp(part, ".align")) {
            at = word(at, part, sizeof part);
            if (!pointer) *align = (uint32_t)atoi(part);
        } else if (!strcmp(part, ".ptr")) pointer = true;
        else parse_type(part + 1, &t);
    }
    snprintf(name, MOCK_NAME, "%s", part);
    *n_bytes = t.bits / 8;
    if (!*align) *align = *n_bytes ? *n_bytes : 1;
    for (at = skip(at); *at == '['; at = skip(at)) {
        *n_bytes *= (uint32_t)strtoul(at + 1, NULL, 0);
        at += strcspn(at, "]") + 1;
    }
    return at;
}

static uint32_t place(uint32_t *top, uint32_t n_bytes, uint32_t align) {
    uint32_t at = (*top + align - 1) / align * align;
    *top = at + n_bytes;
    return at;
}

static const char *add_frame_variable(Decoder *d, const char *at, uint32_t *where, uint32_t *n_bytes) {
    char name[MOCK_NAME];
    uint32_t align;
    at = parse_variable(at, name, n_bytes, &align);
    *where = place(&d->f->frame_bytes, *n_bytes, align);
    if (d->n_variables == MAX_VARIABLES) return fail(d, "too many variables", name), at;
    snprintf(d->variables[d->n_variables].name, MOCK_NAME, "%s", name);
    d->variables[d->n_variables++].at = *where;
    return at;
}

static const char *add_shared_variable(PtxProgram *p, const char *at) {
    char name[MOCK_NAME];
    uint32_t n_bytes, align;
    at = parse_variable(at, name, &n_bytes, &align);
    if (p->n_shared == 512) return at;
    snprintf(p->shared[p->n_shared].name, MOCK_NAME, "%s", name);
    /* What has no size is what the launch adds, behind everything. */
    p->shared[p->n_shared++].at = n_bytes ? place(&p->shared_bytes, n_bytes, align) : UINT32_MAX;
    return at;
}

/* Functions -------------------------------------------------------------------------------------------------------- */

static const char *parse_params(Decoder *d, const char *at) {
    for (at = skip(at + 1); *at && *at != ')'; at = skip(at)) {
        char part[MOCK_NAME];
        const char *after = word(at, part, sizeof part);
        if (!strcmp(part, ".param")) {
            int n = d->f->n_params++;
            if (n >= 512) return fail(d, "too many parameters", d->f->name), at;
            at = add_frame_variable(d, after, &d->f->params[n].at, &d->f->params[n].n_bytes);
        } else at = after > at ? after : at + 1;
    }
    return *at ? at + 1 : at;
}

static Ins *add_branch(Decoder *d) {
    Ins *i = add_instruction(d->f, "bra");
    i->op = OP_bra;
    return i;
}

/* table: .branchtargets a, b, c; -- becomes as many branches, which only brx reaches. */
static void add_table(Decoder *d, const char *at) {
    char name[160];
    int skip_at = (int)(add_branch(d) - d->f->code);
    if (d->n_labels) d->labels[d->n_labels - 1].at = d->f->n_code;
    while (*(at = skip(at)) && *at != ';') {
        const char *after = word(at, name, sizeof name);
        if (after > at) add_branch(d), add_jump(d, name);
        at = after > at ? after : at + 1;
    }
    d->f->code[skip_at].target = d->f->n_code;
}

static const char *parse_statement(Decoder *d, const char *at) {
    char part[MOCK_NAME];
    const char *after = skip(word(at, part, sizeof part)), *end = at + strcspn(at, ";");
    uint32_t where, n_bytes;
    if (*end) end++;
    if (!strcmp(part, ".loc") || !strcmp(part, ".file")) return at + strcspn(at, "\n");
    if (*part && *after == ':') {
        if (d->n_labels == MAX_LABELS) fail(d, "too many labels", part);
        if (d->failed) return end;
        snprintf(d->labels[d->n_labels].name, sizeof d->labels[0].name, "%.63s", part);
        d->labels[d->n_labels++].at = d->f->n_code;
        return after + 1;
    }
    if (!strcmp(part, ".reg")) declare_registers(d, after);
    else if (!strcmp(part, ".local") || !strcmp(part, ".param")) add_frame_variable(d, after, &where, &n_bytes);
    else if (!strcmp(part, ".shared")) add_shared_variable(d->program, after);
    else if (!strcmp(part, ".branchtargets")) add_table(d, after);
    else if (*part != '.') parse_instruction(d, at);
    return end;
}

static void parse_body(Decoder *d, const char *at) {
    int depth = 1;
    for (at = skip(at + 1); *at && depth && !d->failed; at = skip(at)) {
        if (*at == '{' || *at == '}') depth += *at++ == '{' ? 1 : -1;
        else at = parse_statement(d, at);
    }
    for (int j = 0; j < d->n_jumps; j++) {
        int found = -1;
        for (int l = 0; l < d->n_labels; l++)
            if (!strcmp(d->labels[l].name, d->jumps[j].name)) found = d->labels[l].at;
        if (found < 0) fail(d, "no such label", d->jumps[j].name);
        d->f->code[d->jumps[j].at].target = found;
        if (found >= 0 && found < d->f->n_code) d->f->code[found].joins = true;
    }
}

static const char *body_end(const char *at) {
    int depth = 0;
    do {
        at = skip(at);
        depth += (*at == '{') - (*at == '}');
    } while (*at++ && depth);
    return at;
}

/* [(results)] name (parameters) attributes { body } */
static const char *parse_function(Decoder *d, const char *at) {
    d->program->functions =
        realloc(d->program->functions, (size_t)(d->program->n_functions + 1) * sizeof *d->program->functions);
    PtxFunction f = {0};
    d->f = &f;
    d->n_labels = d->n_jumps = d->n_variables = 0;
    memset(d->buckets, 0, 2 * MAX_NAMES * sizeof *d->buckets);
    at = skip(at);
    if (*at == '(') at = parse_params(d, at);
    f.n_results = f.n_params;
    at = skip(word(at, f.name, sizeof f.name));
    if (*at == '(') at = parse_params(d, at);
    at += strcspn(at, "{;");
    int known = ptx_find(d->program, f.name);
    d->program->functions[known >= 0 ? known : d->program->n_functions++] = f; /* so that it can call itself */
    int number = known >= 0 ? known : d->program->n_functions - 1;
    if (*at == '{') {
        const char *end = body_end(at);
        parse_body(d, at);
        at = end;
    }
    if (d->failed) snprintf(f.broken, sizeof f.broken, "%s", d->why);
    else ptx_find_flow(&f);
    d->failed = false;
    d->program->functions[number] = f;
    return at;
}

int ptx_find(const PtxProgram *p, const char *name) {
    for (int i = 0; i < p->n_functions; i++)
        if (!strcmp(p->functions[i].name, name)) return i;
    return -1;
}

PtxProgram *ptx_decode(const char *text, MockImage *image) {
    Decoder *d = calloc(1, sizeof *d);
    PtxProgram *program = d->program = calloc(1, sizeof *d->program);
    program->image = image;
    d->names = malloc(MAX_NAMES * sizeof *d->names);
    d->buckets = calloc(2 * MAX_NAMES, sizeof *d->buckets);
    const char *at = text;
    while (*(at = skip(at))) {
        char part[MOCK_NAME];
        const char *after = word(at, part, sizeof part);
        if (!strcmp(part, ".entry") || !strcmp(part, ".func")) at = parse_function(d, after);
        else if (!strcmp(part, ".shared")) at = add_shared_variable(program, after);
        else at = after > at ? after : at + 1;
    }
    free(d->names);
    free(d->buckets);
    free(d);
    return program;
}

void ptx_free(PtxProgram *p) {
    for (int i = 0; p && i < p->n_functions; i++)
        free(p->functions[i].code), free(p->functions[i].loops), free(p->functions[i].loop_of);
    if (p) free(p->functions);
    free(p);
}
