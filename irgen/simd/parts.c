/* parts.c -- interleaved accesses: elements of an item that lie near one another at places that step evenly from item
 * to item, as the fields of a struct, the colours of a pixel, every other number. Here they are found; interleave.c
 * reads and writes them together. Accesses whose places (place.c) differ by a constant are parts of one group, unless
 * an access between them may be of one of their elements. */
#include "irgen/simd/simd.h"

enum { MOST_PARTS = 16, MOST_IN_ROW = 64 };

static LLVMValueRef object_of(LLVMValueRef access) { return simd_object(simd_address(access)); }

static bool is_alone(LLVMValueRef object) { return simd_is_param(object, "noalias"); }

bool simd_may_meet(LLVMValueRef a, LLVMValueRef b) {
    LLVMValueRef x = object_of(a), y = object_of(b);
    return x == y || !(is_alone(x) || is_alone(y));
}

/* Anything, of what is neither a load nor a store. */
static bool may_write(LLVMValueRef v) {
    LLVMOpcode op = LLVMGetInstructionOpcode(v);
    if (op == LLVMCall) return !simd_has_vector_form(v) && !simd_is_remark(v);
    return op == LLVMAtomicRMW || op == LLVMAtomicCmpXchg || op == LLVMFence;
}

/* Elements from an item to the next, if this is such an access. */
static bool find_step(const SimdRegion *g, const SimdValue *value, int64_t *step) {
    if (!simd_is_access(value->v) || value->private_of >= 0 || simd_is_atomic(value->v)) return false;
    LLVMTypeKind k = LLVMGetTypeKind(simd_element(value->v));
    bool is_int = k == LLVMIntegerTypeKind && LLVMGetIntTypeWidth(simd_element(value->v)) % 8 == 0;
    if (!is_int && k != LLVMFloatTypeKind && k != LLVMDoubleTypeKind) return false;
    LaneRate at = simd_address_rate(g, value);
    int64_t bytes = simd_bytes(g, simd_element(value->v));
    *step = ANY_STEP;
    if (at.x == LANE_VARYING) return true;
    if (at.x != LANE_LINEAR) return false;
    bool steps = at.stride > bytes && at.stride % bytes == 0 && at.stride / bytes <= MOST_PARTS;
    if (steps) *step = at.stride / bytes;
    return steps || at.stride > MOST_PARTS * bytes || at.stride < -SIMD_LINE;
}

static Form place_of(const SimdRegion *g, LLVMValueRef access) { return simd_place(g, simd_address(access), AS_BITS); }

bool simd_walks(const SimdRegion *g, const SimdValue *access, const SimdCounted *c) {
    int64_t step, by = 0;
    if (!find_step(g, access, &step) || step != ANY_STEP) return false;
    Form at = place_of(g, access->v);
    for (int i = 0; i < at.n; i++) {
        LLVMValueRef v = simd_atom(g, at.at[i].atom, NULL);
        if (v == c->counter) by = at.at[i].k;
        else if (!simd_is_invariant(g, (int)(c->loop - g->loops.at), v)) return false;
    }
    int64_t bytes = simd_bytes(g, simd_element(access->v));
    return by == bytes || by == -bytes;
}

/* Do all items' places lie a multiple of the step from each other? */
static bool is_grid(const SimdRegion *g, const SimdValue *value, const Form *at, int64_t step) {
    LLVMValueRef object = object_of(value->v);
    int64_t bytes = simd_bytes(g, simd_element(value->v));
    for (int i = 0; i < at->n; i++)
        if (simd_atom(g, at->at[i].atom, NULL) != object && (!step || at->at[i].k % (step * bytes))) return false;
    return true;
}

typedef struct Open {
    SimdParts parts;
    Form first;           /* the first one's address */
    bool over;            /* something has come between */
    Vec(int64_t) between; /* other places, counted alike, that were written, or if these are writes read, meanwhile */
} Open;
typedef Vec(Open) Opens;

static bool joins(const SimdRegion *g, const Open *o, const SimdValue *value, const Form *at, int64_t step,
                  int64_t *by) {
    const SimdValue *first = &g->values.at[o->parts.of.at[0]];
    int64_t bytes = simd_bytes(g, simd_element(value->v));
    if (o->over || step != o->parts.step || o->parts.is_store != (LLVMIsAStoreInst(value->v) != NULL)) return false;
    if (simd_element(value->v) != simd_element(first->v)) return false;
    if (!simd_is_behind(at, &o->first, by) || *by % bytes) return false;
    *by /= bytes;
    for (int i = 0; i < o->between.n; i++)
        if (!o->parts.is_store && o->between.at[i] == *by) return false;
    int64_t lo = *by < o->parts.lo ? *by : o->parts.lo, hi = *by > o->parts.hi ? *by : o->parts.hi;
    return hi - lo < (step == ANY_STEP ? MOST_IN_ROW : step);
}

static void note_part(SimdRegion *g, Open *o, int i, int64_t by) {
    vec_push(g->arena, &o->parts.of, i);
    vec_push(g->arena, &o->parts.place, by);
    if (by < o->parts.lo) o->parts.lo = by;
    if (by > o->parts.hi) o->parts.hi = by;
}

static bool has_part(const Open *o, int64_t by) {
    for (int i = 0; i < o->parts.place.n; i++)
        if (o->parts.place.at[i] == by) return true;
    return false;
}

/* Between them comes an access that may be of one of their elements; of the same item's, for items do not see what
 * others write. */
static void note_between(SimdRegion *g, Open *o, const SimdValue *value, const Form *at) {
    LLVMValueRef first = g->values.at[o->parts.of.at[0]].v;
    int64_t bytes = simd_bytes(g, simd_element(first)), by;
    if (!simd_may_meet(value->v, first)) return;
    bool is_known =
        at && simd_element(value->v) == simd_element(first) && simd_is_behind(at, &o->first, &by) && by % bytes == 0;
    if (!is_known || (o->parts.is_store && has_part(o, by / bytes))) o->over = true;
    else vec_push(g->arena, &o->between, by / bytes);
}

/* Reads are made where the first of them stands, and writes where the last one does: nothing may come between. */
static void note_access(SimdRegion *g, Opens *opens, int i) {
    const SimdValue *value = &g->values.at[i];
    bool is_store = LLVMIsAStoreInst(value->v) != NULL, is_access = is_store || LLVMIsALoadInst(value->v);
    int64_t step, by = 0;
    bool known = find_step(g, value, &step), joined = false;
    Form at = known ? place_of(g, value->v) : (Form){0};
    for (int k = 0; k < opens->n; k++) {
        Open *o = &opens->at[k];
        if (!joined && known && joins(g, o, value, &at, step, &by)) {
            note_part(g, o, i, by);
            joined = true;
        } else if (!is_access) {
            o->over |= may_write(value->v);
        } else if (is_store || o->parts.is_store) {
            note_between(g, o, value, known ? &at : NULL);
        }
    }
    if (joined || !known) return;
    Open o = {.parts = {.step = (int)step, .is_store = is_store}, .first = at};
    o.parts.is_grid = is_grid(g, value, &at, step);
    note_part(g, &o, i, 0);
    vec_push(g->arena, opens, o);
}

int simd_reach(const SimdParts *p) { return (int)(p->hi - p->lo) + 1; }

/* Nothing lies between them that is none. */
static bool is_gapless(const SimdParts *p) {
    uint64_t seen = 0;
    for (int i = 0; i < p->place.n; i++) seen |= (uint64_t)1 << (p->place.at[i] - p->lo);
    return seen == UINT64_MAX >> (64 - simd_reach(p));
}

/* Each place is written once. */
static bool fills(const SimdParts *p) {
    return is_gapless(p) && p->of.n == simd_reach(p) && (p->step == ANY_STEP || p->of.n == p->step);
}

/* A single part of many is read faster by itself. */
static bool is_dense(const SimdRegion *g, const SimdParts *p) {
    if (p->is_store) return fills(p) || (p->step != ANY_STEP && simd_bridges_gaps(g, p));
    return p->step == ANY_STEP ? p->of.n > 1 && p->of.n * 2 >= simd_reach(p) : p->of.n * 4 >= p->step;
}

void simd_find_parts(SimdRegion *g) {
    g->parts.n = 0;
    for (int i = 0; i < g->values.n; i++) g->values.at[i].parts = -1;
    for (int b = 0; b < g->blocks.n; b++) {
        const SimdBlock *block = &g->blocks.at[b];
        Opens opens = {0};
        for (int i = block->first; i < block->first + block->n && !block->leaves; i++) note_access(g, &opens, i);
        for (int k = 0; k < opens.n; k++) {
            SimdParts *p = &opens.at[k].parts;
            if (!simd_allows(g, PARTS) || !is_dense(g, p)) continue;
            for (int i = 0; i < p->of.n; i++) g->values.at[p->of.at[i]].parts = g->parts.n;
            vec_push(g->arena, &g->parts, *p);
        }
    }
}

/* Lanes that are not there read their row from a line of zeros. */
int simd_row_length(const SimdParts *p, int width, int64_t bytes) {
    int n = 1;
    while (n < width && n < simd_reach(p) && 2 * n * bytes <= SIMD_LINE) n *= 2;
    return n;
}

/* Rows of fewer elements than a vector has lanes can be read, where items' places are not likely side by side. Of wide
 * elements, rows that are no power of 2 cross lines of memory; of small ones, three take as long to put together as a
 * load for each: measured, docs/decisions/short-rows.md. */
static bool is_short_row(const SimdRegion *g, const SimdValue *access, int width) {
    const SimdParts *p = &g->parts.at[access->parts];
    int64_t bytes = simd_bytes(g, simd_element(access->v));
    int length = simd_row_length(p, width, bytes);
    bool is_full = length == simd_reach(p), is_word = length * bytes <= 4 && !g->mask_registers;
    if (p->is_store || (!is_full && (bytes == 8 || is_word))) return false;
    return simd_address_rate(g, access).x == LANE_LINEAR || !simd_may_be_neighbours(g, simd_address(access->v));
}

/* An item by itself has no neighbours, whose parts would lie between its own. */
bool simd_is_part(const SimdRegion *g, const SimdValue *access, int width) {
    if (access->parts < 0 || width == 1) return false;
    const SimdParts *p = &g->parts.at[access->parts];
    if (p->step != ANY_STEP) return true;
    return simd_reach(p) >= width || is_short_row(g, access, width);
}

bool simd_is_of_rows(const SimdRegion *g, const SimdValue *access) {
    return access->parts >= 0 && g->parts.at[access->parts].step == ANY_STEP;
}
