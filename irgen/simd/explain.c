/* explain.c -- --explain=vector: what became of each nest of items and which parts of it are slow as vector code, with
 * the source location. Printed from the rates and shapes that the code is generated from, before LLVM optimises. */
#include "irgen/simd/simd.h"

#include <stdio.h>
#include <string.h>

typedef struct Teller {
    Buf *out;
    const SimdRegion *g;
    size_t begun;  /* where this nest's lines begin: none is told twice */
    SimdShape shape;
} Teller;

static void place(Buf *b, LLVMValueRef at) {
    unsigned n = 0, line = LLVMGetDebugLocLine(at);
    const char *file = LLVMGetDebugLocFilename(at, &n);
    if (line) buf_printf(b, "%s:%u:%u: ", file ? file : "?", line, LLVMGetDebugLocColumn(at));
}

static void tell(Teller *t, LLVMValueRef at, const char *format, ...) __attribute__((format(printf, 3, 4)));
static void tell(Teller *t, LLVMValueRef at, const char *format, ...) {
    char text[256];
    va_list ap;
    va_start(ap, format);
    vsnprintf(text, sizeof text, format, ap);
    va_end(ap);
    Buf line = {0};
    buf_puts(&line, "  ");
    place(&line, at);
    buf_printf(&line, "%s\n", text);
    if (!t->out->at || !strstr(t->out->at + t->begun, line.at)) buf_puts(t->out, line.at);
    buf_free(&line);
}

/* A store of an element that only some of the work items of a block write. */
static void tell_condition(Teller *t, const SimdValue *store) {
    if (store->private_of >= 0 || !simd_is_masked(t->g, store->block)) return;
    if (store->read_before >= 0 && !t->g->mask_registers)
        tell(t, store->v,
             "conditional store: executed by all work items; those that do not come to it write back what they "
             "have read");
    else tell(t, store->v, "conditional store: executed under a mask");
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
        tell(t, value->v, "%s: each work item indexes a private array of its own", what);
    } else if (value->private_of >= 0 || simd_is_contiguous(t->g, at, type) ||
               (at.x == LANE_LINEAR && at.stride == -bytes)) {
        return;
    } else if (simd_turns_columns(t->g, t->shape, value)) {
        tell(t, value->v, store ? "strided store: %d rows are transposed and stored together"
                                : "strided load: %d rows are loaded together and transposed", t->shape.rows);
    } else if (simd_is_part(t->g, value, t->shape.width) && simd_is_of_rows(t->g, value)) {
        tell(t, value->v, "interleaved access: each work item %s a vector of a separate row, and the vectors are "
                          "transposed",
             store ? "writes" : "reads");
    } else if (simd_is_part(t->g, value, t->shape.width)) {
        bool is_first = t->g->values.at[t->g->parts.at[value->parts].of.at[0]].v == value->v;
        if (is_first) tell(t, value->v, "interleaved access: the stride is %lld bytes; whole vectors are %s and "
                                        "permuted",
                           (long long)at.stride, store ? "written" : "read");
    } else if (at.x == LANE_LINEAR) {
        tell(t, value->v, "%s: the stride is %lld bytes for elements of %lld; contiguous elements along the last axis "
                          "would need one access",
             what, (long long)at.stride, (long long)bytes);
    } else if (simd_is_quasi_affine(t->g, value, t->shape.width, &period)) {
        tell(t, value->v,
             "interleaved access: the address goes up every %d work items; whole parts of a vector are read and "
             "permuted",
             period.items);
    } else if (at.x == LANE_VARYING) {
        tell(t, value->v, "%s: cannot prove that neighbouring work items %s contiguous elements", what,
             store ? "write" : "read");
    } else if (store) {
        tell(t, value->v, "all work items write the same element");
    }
}

static void tell_ahead(Teller *t, LLVMValueRef ahead) {
    bool of_group = LLVMConstIntGetZExtValue(LLVMGetOperand(ahead, 1)) == AHEAD_GROUP;
    if (of_group) tell(t, ahead, "prefetch: the data of the next group is prefetched here");
    else tell(t, ahead, "loop: the work items of a group run it in step; the data of the next iterations is "
                        "prefetched");
}

static void tell_value(Teller *t, const SimdValue *value) {
    LLVMOpcode op = LLVMGetInstructionOpcode(value->v);
    size_t n;
    if (value->at_ends && op != LLVMICmp) {
        tell(t, value->v,
             "index: clamped or wrapped around only at edges; for blocks of work items inside it is linear");
    } else if (op == LLVMLoad || op == LLVMStore) {
        tell_access(t, value);
    } else if (op == LLVMCall &&
               LLVMGetCalledValue(value->v) == LLVMGetNamedFunction(LLVMGetGlobalParent(t->g->fn), CG_AHEAD)) {
        tell_ahead(t, value->v);
    } else if (op == LLVMCall && value->rate.x == LANE_VARYING && value->private_of < 0 && !simd_is_remark(value->v) &&
               !simd_has_vector_form(value->v) && !simd_has_vector_update(t->g, value->v, value->block)) {
        const char *name = LLVMGetValueName2(LLVMGetCalledValue(value->v), &n);
        if (!strncmp(name, CG_UPDATE, strlen(CG_UPDATE))) tell(t, value->v, "update of an element: scalar");
        else tell(t, value->v, "call of `%s`: scalar", name);
    } else if (value->rate.x == LANE_VARYING && simd_divides(value->v) &&
               !LLVMIsConstant(LLVMGetOperand(value->v, 1))) {
        tell(t, value->v,
             "integer division: as division of floating-point numbers, because the CPU has no vector instruction "
             "for it");
    }
}

static void tell_control(Teller *t) {
    const SimdRegion *g = t->g;
    for (int l = 0; l < g->loops.n; l++) {
        if (!g->loops.at[l].divergent) continue;
        LLVMValueRef at = LLVMGetBasicBlockTerminator(g->blocks.at[g->loops.at[l].header].bb);
        tell(t, at, "divergent loop: the work items have different trip counts; it runs until the last one has "
                    "finished");
    }
    for (int b = 0; b < g->blocks.n; b++) {
        LLVMValueRef check = simd_check_of(g, b);
        if (check && simd_rate(g, check, b).x == LANE_VARYING && !simd_checked_at_ends(g, check, b))
            tell(t, check, "check: made for every work item, because it cannot be proven");
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
        if (at_edges) tell(t, at, "branch: divergent only at edges; blocks of work items without divergence are "
                                     "run without it");
        else if (!exits) tell(t, at, "divergent branch: each path is executed under a mask for the work items that "
                                     "take it");
    }
}

static Teller begin(Cg *cg, const SimdRegion *g, LLVMValueRef at) {
    Teller t = {.out = cg->vector_notes, .g = g, .shape = {1, 1, 1}};
    size_t n;
    const char *name = LLVMGetValueName2(g->fn, &n), *dot = strchr(name, '.');
    buf_printf(t.out, "kernel %s: ", dot ? dot + 1 : name);
    if (at && LLVMGetDebugLocLine(at)) buf_printf(t.out, "work items from line %u: ", LLVMGetDebugLocLine(at));
    t.begun = t.out->n;
    return t;
}

/* Of a loop that is written round by round the rounds are mostly alike. */
static void tell_once(Buf *out, size_t from) {
    size_t n = out->n - from;
    for (size_t at = 0; at + n <= from; at++)
        if (!memcmp(out->at + at, out->at + from, n)) {
            out->n = from;
            return;
        }
}

static const char *mark_of(const Teller *t, const char *name, unsigned *n) {
    LLVMAttributeRef mark =
        LLVMGetStringAttributeAtIndex(t->g->fn, LLVMAttributeFunctionIndex, name, (unsigned)strlen(name));
    return mark ? LLVMGetStringAttributeValue(mark, n) : NULL;
}

static void tell_axes(Teller *t) {
    unsigned n;
    const char *names = mark_of(t, CG_AXES, &n);
    if (names) buf_printf(t->out, "  interchange: the axes run in the order `%.*s`, that of memory\n", (int)n, names);
    const char *loop = mark_of(t, CG_COLLAPSED, &n);
    if (loop) buf_printf(t->out, "  loop collapsing: the loop over `%.*s` runs as the fastest axis\n", (int)n, loop);
    const char *inside = mark_of(t, CG_SHORT_AXIS, &n);
    if (inside) buf_printf(t->out, "  short axis: `%.*s` runs within each work item\n", (int)n, inside);
    const char *flattened = mark_of(t, CG_FLATTENED, &n);
    if (flattened)
        buf_printf(t->out, "  loop flattening: `%.*s` and the axis around it run as one axis\n", (int)n, flattened);
    const char *row = mark_of(t, CG_FLAT, &n);
    if (row) buf_printf(t->out, "  delinearisation: nest 1 runs rows of %.*s\n", (int)n, row);
}

/* Told of the version that all launches can take; the others, if they are there, have less to tell. */
void simd_note(Cg *cg, SimdRegion *g, SimdShape shape, SimdVersions versions) {
    if (!cg->vector_notes) return;
    LLVMValueRef first = NULL;
    for (int i = 0; i < g->values.n && !first; i++)
        if (LLVMGetDebugLocLine(g->values.at[i].v)) first = g->values.at[i].v;
    size_t from = cg->vector_notes->n;
    Teller t = begin(cg, g, first);
    simd_rates_settled(g, versions.ends);
    t.shape = shape;
    buf_printf(t.out, "%d lanes", shape.width);
    if (shape.vectors > 1) buf_printf(t.out, ", %d vectors at a time", shape.vectors);
    if (shape.rows > 1) buf_printf(t.out, ", of %d rows", shape.rows);
    if (versions.written_out) buf_puts(t.out, ", unrolled: values stored in earlier iterations are kept in registers");
    buf_putc(t.out, '\n');
    tell_axes(&t);
    if (versions.rest_is_scalar)
        buf_puts(t.out, "  loop versioning: for masks under which accesses stay contiguous; else "
                        "scalar code\n");
    else if (versions.aligned) buf_puts(t.out, "  loop versioning: also a version for masks under which accesses "
                                               "stay contiguous\n");
    t.begun = t.out->n;
    tell_control(&t);
    for (int i = 0; i < g->values.n; i++)
        if (!g->blocks.at[g->values.at[i].block].leaves) tell_value(&t, &g->values.at[i]);
    if (t.out->n == t.begun && !versions.aligned) buf_puts(t.out, "  nothing that is slow in vector code\n");
    tell_once(t.out, from);
    simd_rates_settled(g, false);
}

void simd_note_scalar(Cg *cg, const SimdRegion *g) {
    if (!cg->vector_notes) return;
    Teller t = begin(cg, g, NULL);
    buf_puts(t.out, "not vectorised\n");
    t.begun = t.out->n;
    if (g->why_at && LLVMIsAInstruction(g->why_at)) tell(&t, g->why_at, "%s", g->why_not);
    else buf_printf(t.out, "  %s\n", g->why_not);
}
