/* explain.c -- --explain=vector: what became of each nest of items and which parts of it are slow as vector code, with
 * the source location. Printed from the rates and shapes that the code is generated from, before LLVM optimises. */
#include "irgen/simd/simd.h"

#include <stdio.h>
#include <string.h>

typedef struct Teller {
    VectorNotes *notes;
    VectorNest *nest;
    const SimdRegion *g;
    SimdShape shape;
} Teller;

/* Each remark is printed once. */
static bool is_told(const VectorRemarks *told, const VectorRemark *r) {
    for (int i = 0; i < told->n; i++) {
        const VectorRemark *x = &told->at[i];
        bool same_place = x->line == r->line && x->col == r->col && !x->file == !r->file;
        if (same_place && !strcmp(x->text, r->text) && (!r->file || !strcmp(x->file, r->file))) return true;
    }
    return false;
}

/* What LLVM has moved or merged has no place: that of what is near it. */
static LLVMValueRef with_place(LLVMValueRef at) {
    for (LLVMValueRef v = at; v; v = LLVMGetPreviousInstruction(v))
        if (LLVMGetDebugLocLine(v)) return v;
    for (LLVMValueRef v = at; v; v = LLVMGetNextInstruction(v))
        if (LLVMGetDebugLocLine(v)) return v;
    return at;
}

static const char *file_of(Teller *t, LLVMValueRef at, int *line, int *col) {
    unsigned n = 0;
    at = with_place(at);
    const char *file = LLVMGetDebugLocFilename(at, &n);
    *line = (int)LLVMGetDebugLocLine(at);
    if (!*line) return NULL;
    *col = (int)LLVMGetDebugLocColumn(at);
    return file ? arena_strndup(&t->notes->arena, file, n) : "?";
}

static void tell(Teller *t, const char *kind, LLVMValueRef at, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
static void tell(Teller *t, const char *kind, LLVMValueRef at, const char *format, ...) {
    VectorRemark r = {.kind = kind};
    va_list ap;
    va_start(ap, format);
    r.text = arena_vprintf(&t->notes->arena, format, ap);
    va_end(ap);
    r.file = file_of(t, at, &r.line, &r.col);
    r.is_scalar = !strcmp(kind, "update") || !strcmp(kind, "call");
    if (!is_told(&t->nest->remarks, &r)) vec_push(&t->notes->arena, &t->nest->remarks, r);
}

/* Of the nest as a whole. */
static void tell_head(Teller *t, const char *kind, const char *format, ...) __attribute__((format(printf, 3, 4)));
static void tell_head(Teller *t, const char *kind, const char *format, ...) {
    VectorRemark r = {.kind = kind};
    va_list ap;
    va_start(ap, format);
    r.text = arena_vprintf(&t->notes->arena, format, ap);
    va_end(ap);
    vec_push(&t->notes->arena, &t->nest->head, r);
}

/* A store of an element that only some of the work items of a block write. */
static void tell_condition(Teller *t, const SimdValue *store) {
    if (store->private_of >= 0 || !simd_is_masked(t->g, store->block)) return;
    if (store->read_before >= 0 && !t->g->mask_registers)
        tell(t, "speculative store", store->v,
             "speculative store: executed by all work items; those whose condition is false write back the value that "
             "they have read");
    else tell(t, "conditional store", store->v, "conditional store: executed under a mask");
}

static void tell_access(Teller *t, const SimdValue *value) {
    bool store = LLVMIsAStoreInst(value->v) != NULL;
    LLVMTypeRef type = LLVMTypeOf(store ? LLVMGetOperand(value->v, 0) : value->v);
    LaneRate at = simd_rate(t->g, LLVMGetOperand(value->v, store), value->block);
    const char *what = store ? "scatter" : "gather";
    SimdPeriod period;
    int64_t bytes = simd_bytes(t->g, type);
    if (simd_is_rest(t->g, t->g->blocks.at[value->block].loop))
        return; /* as the other rounds, which have been told of */
    if (store) tell_condition(t, value);
    if (value->private_of >= 0 && at.x != LANE_UNIFORM) {
        tell(t, what, value->v, "%s: each work item indexes a private array of its own", what);
    } else if (value->private_of >= 0 || simd_is_contiguous(t->g, at, type) ||
               (at.x == LANE_LINEAR && at.stride == -bytes)) {
        return;
    } else if (!store && simd_is_table(t->g, value)) {
        return;
    } else if (simd_turns_columns(t->g, t->shape, value)) {
        tell(t, "strided", value->v, store ? "strided store: %d rows are transposed and stored together"
                                : "strided load: %d rows are loaded together and transposed", t->shape.rows);
    } else if (simd_is_part(t->g, value, t->shape.width) && simd_is_of_rows(t->g, value)) {
        tell(t, "interleaved", value->v,
             "interleaved access: each work item %s a vector of a separate row, and the vectors are "
             "transposed",
             store ? "writes" : "reads");
    } else if (simd_is_part(t->g, value, t->shape.width)) {
        bool is_first = t->g->values.at[t->g->parts.at[value->parts].of.at[0]].v == value->v;
        if (is_first) tell(t, "interleaved", value->v,
                           "interleaved access: the stride is %lld bytes; whole vectors are %s and "
                           "permuted",
                           (long long)at.stride, store ? "written" : "read");
    } else if (at.x == LANE_LINEAR) {
        tell(t, what, value->v,
             "%s: the stride is %lld bytes for elements of %lld; contiguous elements along the last axis "
             "would need one access",
             what, (long long)at.stride, (long long)bytes);
    } else if (simd_is_quasi_affine(t->g, value, t->shape.width, &period)) {
        tell(t, "interleaved", value->v,
             "interleaved access: the address changes every %d work items; parts of a vector are read and permuted",
             period.items);
    } else if (at.x == LANE_VARYING) {
        tell(t, what, value->v, "%s: cannot prove that neighbouring work items %s contiguous elements", what,
             store ? "write" : "read");
    } else if (store) {
        tell(t, "same element", value->v, "all work items write the same element");
    }
}

static void tell_ahead(Teller *t, LLVMValueRef ahead) {
    bool of_group = LLVMConstIntGetZExtValue(LLVMGetOperand(ahead, 1)) == AHEAD_GROUP;
    if (of_group) tell(t, "prefetch", ahead, "prefetch: the data of the next group is prefetched here");
    else tell(t, "prefetch", ahead,
              "loop: the work items of a group run it in step; the data of the next iterations is "
              "prefetched");
}

static void tell_value(Teller *t, const SimdValue *value) {
    LLVMOpcode op = LLVMGetInstructionOpcode(value->v);
    size_t n;
    if (value->at_ends && op != LLVMICmp) {
        tell(t, "index", value->v,
             "index or loop bound: clamped or wrapped around only at edges; for blocks of work items inside it is "
             "linear");
    } else if (op == LLVMLoad || op == LLVMStore) {
        tell_access(t, value);
    } else if (op == LLVMCall &&
               LLVMGetCalledValue(value->v) == LLVMGetNamedFunction(LLVMGetGlobalParent(t->g->fn), CG_AHEAD)) {
        tell_ahead(t, value->v);
    } else if (op == LLVMCall && value->rate.x == LANE_VARYING && value->private_of < 0 && !simd_is_remark(value->v) &&
               !simd_has_vector_form(value->v) && !simd_has_vector_update(t->g, value->v, value->block)) {
        const char *name = LLVMGetValueName2(LLVMGetCalledValue(value->v), &n);
        if (!strncmp(name, CG_UPDATE, strlen(CG_UPDATE))) tell(t, "update", value->v, "update of an element: scalar");
        else tell(t, "call", value->v, "call of `%s`: scalar", name);
    } else if (value->rate.x == LANE_VARYING && simd_divides(value->v) &&
               !LLVMIsConstant(LLVMGetOperand(value->v, 1))) {
        tell(t, "division", value->v,
             "integer division: as division of floating-point numbers, because the CPU has no vector instruction "
             "for it");
    }
}

static void tell_control(Teller *t) {
    const SimdRegion *g = t->g;
    for (int l = 0; l < g->loops.n; l++) {
        if (!g->loops.at[l].divergent) continue;
        LLVMValueRef at = LLVMGetBasicBlockTerminator(g->blocks.at[g->loops.at[l].header].bb);
        if (simd_is_of_some_rows(g, l)) {
            tell(t, "triangular loop", at,
                 "triangular loop: the rows of a block share the iterations that all of them have; the others run "
                 "under masks");
            continue;
        }
        tell(t, "divergent loop", at,
             "divergent loop: the work items have different trip counts; it runs until the last one has "
             "finished");
    }
    for (int b = 0; b < g->blocks.n; b++) {
        LLVMValueRef check = simd_check_of(g, b);
        if (check && simd_rate(g, check, b).x == LANE_VARYING && !simd_checked_at_ends(g, check, b))
            tell(t, "check", check,
                 "check: executed by every work item, because it cannot be proven unnecessary");
    }
    for (int b = 0; b < g->blocks.n; b++) {
        int s[2];
        bool at_edges = g->blocks.at[b].taken >= 0;
        if (!g->blocks.at[b].diverges && !at_edges) continue;
        for (int i = 0; i < 2; i++) s[i] = value_map_get(g->block_of, simd_succ(g, b, i));
        int loop = g->blocks.at[b].loop;
        bool exits =
            loop >= 0 && (s[0] < 0 || s[1] < 0 || !g->loops.at[loop].has[s[0]] || !g->loops.at[loop].has[s[1]]);
        LLVMValueRef at = LLVMGetBasicBlockTerminator(g->blocks.at[b].bb);
        if (at_edges) tell(t, "edge branch", at,
                           "branch: divergent only at edges; blocks of work items without divergence are "
                           "run without it");
        else if (!exits) tell(t, "divergent branch", at,
                              "divergent branch: each path is executed under a mask for the work items that "
                              "take it");
    }
}

static Teller begin(Cg *cg, const SimdRegion *g, LLVMValueRef at, int number) {
    Teller t = {.notes = cg->vector_notes, .g = g, .shape = {1, 1, 1}};
    size_t n;
    const char *name = LLVMGetValueName2(g->fn, &n), *dot = strchr(name, '.');
    VectorNest nest = {.number = number};
    nest.kernel = arena_strndup(&t.notes->arena, dot ? dot + 1 : name, n - (size_t)(dot ? dot + 1 - name : 0));
    if (at) nest.file = file_of(&t, at, &nest.line, &nest.col);
    vec_push(&t.notes->arena, &t.notes->nests, nest);
    t.nest = &t.notes->nests.at[t.notes->nests.n - 1];
    return t;
}

static bool begin_alike(const VectorRemarks *a, const VectorRemarks *b) {
    for (int i = 0; i < a->n; i++)
        if (i == b->n || !is_told(&(VectorRemarks){&b->at[i], 1, 1}, &a->at[i])) return false;
    return true;
}

/* Of a loop that is written round by round the rounds are mostly alike. */
static bool is_repeat(const VectorNotes *notes, const VectorNest *n) {
    for (const VectorNest *x = notes->nests.at; x < n; x++) {
        bool same = x->is_vector && !strcmp(x->kernel, n->kernel) && x->line == n->line && x->lanes == n->lanes &&
                    x->vectors == n->vectors && x->rows == n->rows && x->is_unrolled == n->is_unrolled;
        same = same && x->head.n == n->head.n && begin_alike(&n->head, &x->head);
        bool is_clean = !n->remarks.n && !n->has_versions;
        if (same && (is_clean ? !x->remarks.n && !x->has_versions : begin_alike(&n->remarks, &x->remarks))) return true;
    }
    return false;
}

static const char *mark_of(const Teller *t, const char *name, unsigned *n) {
    LLVMAttributeRef mark =
        LLVMGetStringAttributeAtIndex(t->g->fn, LLVMAttributeFunctionIndex, name, (unsigned)strlen(name));
    return mark ? LLVMGetStringAttributeValue(mark, n) : NULL;
}

static void tell_axes(Teller *t) {
    unsigned n;
    const char *names = mark_of(t, CG_AXES, &n);
    if (names)
        tell_head(t, "interchange", "interchange: the axes run in the order `%.*s`, that of memory", (int)n, names);
    const char *loop = mark_of(t, CG_COLLAPSED, &n);
    if (loop)
        tell_head(t, "loop collapsing", "loop collapsing: the loop over `%.*s` runs as the fastest axis", (int)n, loop);
    const char *cut = mark_of(t, CG_DISTRIBUTED, &n);
    if (cut)
        tell_head(t, "loop fission",
                  "loop fission: %d work items at a time; loops over %.*s as rows of their own", CG_STRIP_ITEMS,
                  (int)n, cut);
    const char *copied = mark_of(t, CG_COPIED, &n);
    if (copied)
        tell_head(t, "array copying",
                  "array copying: each work item copies its row of %.*s before a loop that reads it again", (int)n,
                  copied);
    const char *inside = mark_of(t, CG_SHORT_AXIS, &n);
    if (inside) tell_head(t, "short axis", "short axis: each work item runs over %.*s", (int)n, inside);
    const char *flattened = mark_of(t, CG_FLATTENED, &n);
    if (flattened) tell_head(t, "loop flattening", "loop flattening: %.*s run as one axis", (int)n, flattened);
    const char *row = mark_of(t, CG_FLAT, &n);
    if (row) tell_head(t, "delinearisation", "delinearisation: nest 1 runs rows of %.*s", (int)n, row);
}

static void tell_versions(Teller *t, SimdVersions versions) {
    if (versions.rest_is_scalar)
        tell_head(t, "loop versioning",
                  "loop versioning: for masks under which accesses stay contiguous; else scalar code");
    else if (versions.aligned)
        tell_head(t, "loop versioning",
                  "loop versioning: also a version for masks under which accesses stay contiguous");
}

static void tell_fast(Cg *cg, Teller *t) {
    bool is_fast = false;
    int n = 0;
    for (int i = 0; i < t->g->values.n; i++) {
        const SimdValue *value = &t->g->values.at[i];
        is_fast |= LLVMCanValueUseFastMathFlags(value->v) &&
                   (LLVMGetFastMathFlags(value->v) & LLVMFastMathNoSignedZeros);
        n += value->rate.x == LANE_VARYING && cg_is_estimated(cg, value->v);
    }
    static const char what[] = "fast mode", begin[] = "fast mode: sums may be reordered";
    if (n) tell_head(t, what, "%s; quotients and square roots are computed from estimates: %d", begin, n);
    else if (is_fast) tell_head(t, what, "%s", begin);
}

static LLVMValueRef first_with_place(const SimdRegion *g) {
    for (int i = 0; i < g->values.n; i++)
        if (LLVMGetDebugLocLine(g->values.at[i].v)) return g->values.at[i].v;
    return NULL;
}

/* Told of the version that all launches can take; the others, if they are there, have less to tell. */
void simd_note(Cg *cg, SimdRegion *g, int number, SimdShape shape, SimdVersions versions) {
    if (!cg->vector_notes) return;
    Teller t = begin(cg, g, first_with_place(g), number);
    VectorNest *nest = t.nest;
    simd_rates_settled(g, versions.ends);
    t.shape = shape;
    nest->is_vector = true;
    nest->lanes = shape.width;
    nest->vectors = shape.vectors;
    nest->rows = shape.rows;
    nest->is_unrolled = versions.written_out;
    nest->has_versions = versions.aligned;
    tell_axes(&t);
    tell_versions(&t, versions);
    tell_fast(cg, &t);
    tell_control(&t);
    for (int i = 0; i < g->values.n; i++)
        if (!g->blocks.at[g->values.at[i].block].leaves) tell_value(&t, &g->values.at[i]);
    nest->is_repeat = is_repeat(t.notes, nest);
    simd_rates_settled(g, false);
}

/* slower: it is only estimated to be, so what would be slow in its vector code is told as of other nests. */
void simd_note_scalar(Cg *cg, const SimdRegion *g, int number, bool slower) {
    if (!cg->vector_notes) return;
    Teller t = begin(cg, g, NULL, number);
    if (g->why_at && LLVMIsAInstruction(g->why_at)) tell(&t, "scalar", g->why_at, "%s", g->why_not);
    else tell_head(&t, "scalar", "%s", g->why_not);
    if (!slower) return;
    t.shape = (SimdShape){1, 1, g->lanes_tried};
    tell_control(&t);
    for (int i = 0; i < g->values.n; i++)
        if (!g->blocks.at[g->values.at[i].block].leaves) tell_value(&t, &g->values.at[i]);
}
