/* parts.c -- elements of an item that lie near one another at places that step evenly from item to item: the fields of
 * a struct, the colours of a pixel, every other number. All of them are read as whole vectors, from which one for each
 * part is put together, and written likewise; nothing is read behind the last item's, nor written that is none. */
#include "irgen/simd/simd.h"

enum { MOST_PARTS = 16, MOST_TERMS = 8, FAR = 12 };

/* Which ------------------------------------------------------------------------------------------------------------ */

/* An address as a sum, in bytes. */
typedef struct Sum {
    int n;
    LLVMValueRef v[MOST_TERMS];
    int64_t by[MOST_TERMS], rest;
} Sum;

static bool add_term(Sum *s, LLVMValueRef v, int64_t by) {
    int i = 0;
    while (i < s->n && s->v[i] != v) i++;
    if (i == MOST_TERMS) return false;
    if (i == s->n) {
        s->v[s->n++] = v;
        s->by[i] = 0;
    }
    s->by[i] = (int64_t)((uint64_t)s->by[i] + (uint64_t)by);
    return true;
}

static bool add(const SimdRegion *g, Sum *s, LLVMValueRef v, int64_t by, int depth);

static bool add_address(const SimdRegion *g, Sum *s, LLVMValueRef gep, int depth) {
    LLVMTypeRef t = LLVMGetGEPSourceElementType(gep);
    if (LLVMGetNumOperands(gep) != 2) return false;
    return add(g, s, LLVMGetOperand(gep, 0), 1, depth) && add(g, s, LLVMGetOperand(gep, 1), simd_bytes(g, t), depth);
}

static bool add(const SimdRegion *g, Sum *s, LLVMValueRef v, int64_t by, int depth) {
    bool is_pointer = LLVMGetTypeKind(LLVMTypeOf(v)) == LLVMPointerTypeKind;
    if (LLVMIsAConstantInt(v)) {
        s->rest = (int64_t)((uint64_t)s->rest + (uint64_t)by * (uint64_t)LLVMConstIntGetSExtValue(v));
        return true;
    }
    if (!LLVMIsAInstruction(v) || depth > FAR) return add_term(s, v, by);
    if (LLVMIsAGetElementPtrInst(v) && LLVMGetNumOperands(v) == 2) return add_address(g, s, v, depth + 1);
    if (is_pointer || LLVMGetIntTypeWidth(LLVMTypeOf(v)) != 64) return add_term(s, v, by); /* what wraps does so alike */
    LLVMOpcode op = LLVMGetInstructionOpcode(v);
    LLVMValueRef a = LLVMGetNumOperands(v) > 0 ? LLVMGetOperand(v, 0) : NULL;
    LLVMValueRef b = LLVMGetNumOperands(v) > 1 ? LLVMGetOperand(v, 1) : NULL;
    bool is_sum = op == LLVMAdd || op == LLVMSub || (op == LLVMOr && LLVMGetIsDisjoint(v));
    if (is_sum) return add(g, s, a, by, depth + 1) && add(g, s, b, op == LLVMSub ? -by : by, depth + 1);
    bool is_product = (op == LLVMMul || op == LLVMShl) && LLVMIsAConstantInt(b);
    if (!is_product) return add_term(s, v, by);
    uint64_t k = (uint64_t)LLVMConstIntGetSExtValue(b);
    return add(g, s, a, (int64_t)((uint64_t)by * (op == LLVMShl ? (uint64_t)1 << (k & 63) : k)), depth + 1);
}

/* Is a a constant number of bytes behind b? */
static bool is_behind(const Sum *a, const Sum *b, int64_t *by) {
    Sum d = *a;
    for (int i = 0; i < b->n; i++)
        if (!add_term(&d, b->v[i], -b->by[i])) return false;
    for (int i = 0; i < d.n; i++)
        if (d.by[i]) return false;
    *by = (int64_t)((uint64_t)a->rest - (uint64_t)b->rest);
    return true;
}

static LLVMValueRef address_of(LLVMValueRef access) { return LLVMGetOperand(access, LLVMIsAStoreInst(access) != NULL); }

static LLVMTypeRef element_of(LLVMValueRef access) {
    return LLVMTypeOf(LLVMIsAStoreInst(access) ? LLVMGetOperand(access, 0) : access);
}

static LLVMValueRef object_of(LLVMValueRef access) { return simd_object(address_of(access)); }

static bool is_alone(LLVMValueRef object) { return simd_is_param(object, "noalias"); }

static bool may_meet(LLVMValueRef a, LLVMValueRef b) {
    LLVMValueRef x = object_of(a), y = object_of(b);
    return x == y || !(is_alone(x) || is_alone(y));
}

/* Anything, of what is neither a load nor a store. */
static bool may_write(LLVMValueRef v) {
    LLVMOpcode op = LLVMGetInstructionOpcode(v);
    if (op == LLVMCall) return !simd_has_vector_form(v) && !simd_is_remark(v);
    return op == LLVMAtomicRMW || op == LLVMAtomicCmpXchg || op == LLVMFence;
}

/* Elements from an item to the next; 0: this is no such access */
static int64_t step_of(const SimdRegion *g, const SimdValue *value) {
    bool is_store = LLVMIsAStoreInst(value->v) != NULL;
    if ((!is_store && !LLVMIsALoadInst(value->v)) || value->private_of >= 0 || LLVMGetVolatile(value->v)) return 0;
    LLVMTypeKind k = LLVMGetTypeKind(element_of(value->v));
    bool is_int = k == LLVMIntegerTypeKind && LLVMGetIntTypeWidth(element_of(value->v)) % 8 == 0;
    if (!is_int && k != LLVMFloatTypeKind && k != LLVMDoubleTypeKind) return 0;
    LaneRate at = simd_rate(g, address_of(value->v), value->block);
    int64_t bytes = simd_bytes(g, element_of(value->v));
    bool steps = at.x == LANE_LINEAR && at.stride > bytes && at.stride % bytes == 0 && at.stride / bytes <= MOST_PARTS;
    return steps ? at.stride / bytes : 0;
}

typedef struct Open {
    SimdParts parts;
    Sum first;       /* the first one's address */
    int last;
    bool over;       /* something has come between */
} Open;
typedef Vec(Open) Opens;

static bool joins(const SimdRegion *g, const Open *o, const SimdValue *value, const Sum *at, int64_t step,
                  int64_t *by) {
    const SimdValue *first = &g->values.at[o->parts.of.at[0]];
    int64_t bytes = simd_bytes(g, element_of(value->v));
    if (o->over || step != o->parts.step || o->parts.is_store != (LLVMIsAStoreInst(value->v) != NULL)) return false;
    if (element_of(value->v) != element_of(first->v) || !is_behind(at, &o->first, by) || *by % bytes) return false;
    *by /= bytes;
    int64_t lo = *by < o->parts.lo ? *by : o->parts.lo, hi = *by > o->parts.hi ? *by : o->parts.hi;
    return hi - lo < step;
}

static void note_part(SimdRegion *g, Open *o, int i, int64_t by) {
    vec_push(g->arena, &o->parts.of, i);
    vec_push(g->arena, &o->parts.place, by);
    if (by < o->parts.lo) o->parts.lo = by;
    if (by > o->parts.hi) o->parts.hi = by;
    o->last = i;
}

/* Reads are made where the first of them stands, and writes where the last one does: nothing may come between. */
static void note_access(SimdRegion *g, Opens *opens, int i) {
    const SimdValue *value = &g->values.at[i];
    bool is_store = LLVMIsAStoreInst(value->v) != NULL, is_access = is_store || LLVMIsALoadInst(value->v);
    int64_t step = step_of(g, value), by = 0;
    Sum at = {0};
    bool known = step && add(g, &at, address_of(value->v), 1, 0), joined = false;
    for (int k = 0; k < opens->n; k++) {
        Open *o = &opens->at[k];
        if (!joined && known && joins(g, o, value, &at, step, &by)) {
            note_part(g, o, i, by);
            joined = true;
        } else if (!is_access) {
            o->over |= may_write(value->v);
        } else if (is_store || o->parts.is_store) {
            o->over |= may_meet(value->v, g->values.at[o->parts.of.at[0]].v);
        }
    }
    if (joined || !known) return;
    Open o = {.parts = {.step = (int)step, .is_store = is_store}, .first = at};
    note_part(g, &o, i, 0);
    vec_push(g->arena, opens, o);
}

/* Writes fill all that is between them, each place once. */
static bool fills(const SimdParts *p) {
    unsigned seen = 0;
    for (int i = 0; i < p->place.n; i++) {
        unsigned bit = 1u << (p->place.at[i] - p->lo);
        if (seen & bit) return false;
        seen |= bit;
    }
    return p->of.n == p->step;
}

/* A single part of many is read faster by itself. */
static bool is_dense(const SimdParts *p) { return p->is_store ? fills(p) : p->of.n * 4 >= p->step; }

void simd_find_parts(SimdRegion *g) {
    g->parts.n = 0;
    for (int i = 0; i < g->values.n; i++) g->values.at[i].parts = -1;
    for (int b = 0; b < g->blocks.n; b++) {
        const SimdBlock *block = &g->blocks.at[b];
        Opens opens = {0};
        for (int i = block->first; i < block->first + block->n && !block->leaves; i++) note_access(g, &opens, i);
        for (int k = 0; k < opens.n; k++) {
            SimdParts *p = &opens.at[k].parts;
            if (!is_dense(p)) continue;
            for (int i = 0; i < p->of.n; i++) g->values.at[p->of.at[i]].parts = g->parts.n;
            vec_push(g->arena, &g->parts, *p);
        }
    }
}

/* Permutations ----------------------------------------------------------------------------------------------------- */

static LLVMValueRef shuffled(SimdEmit *e, LLVMValueRef a, LLVMValueRef b, const int *from) {
    LLVMValueRef *order = arena_array(e->g->arena, LLVMValueRef, e->shape.width);
    for (int i = 0; i < e->shape.width; i++)
        order[i] = from[i] < 0 ? LLVMGetPoison(e->cg->i32) : cg_i32(e->cg, from[i]);
    return LLVMBuildShuffleVector(e->b, a, b, LLVMConstVector(order, (unsigned)e->shape.width), "");
}

/* A vector whose lane i is lane `lane[i]` of `v[of[i]]`. Lanes stay where they are in their own vectors as long as they
 * can, for then putting two vectors together is a blend; one permutation at the end brings all to their places. */
static LLVMValueRef gathered(SimdEmit *e, LLVMValueRef *v, int n, const int *of, const int *lane) {
    int width = e->shape.width, n_used = 0, used[2] = {0};
    int *now = arena_array(e->g->arena, int, 2 * width), *from = now + width;
    bool *taken = arena_array(e->g->arena, bool, n + width), *is_used = taken + width;
    for (int i = 0; i < width; i++) {
        if (!is_used[of[i]] && n_used < 2) used[n_used] = of[i];
        n_used += !is_used[of[i]];
        is_used[of[i]] = true;
    }
    if (n_used <= 2) {
        for (int i = 0; i < width; i++) from[i] = lane[i] + (n_used == 2 && of[i] == used[1] ? width : 0);
        return shuffled(e, v[used[0]], v[n_used == 2 ? used[1] : used[0]], from);
    }
    LLVMValueRef all = NULL;
    for (int k = 0; k < n; k++) {
        if (!is_used[k]) continue;
        for (int p = 0; p < width; p++) from[p] = taken[p] ? p : -1;
        for (int i = 0; i < width; i++) {
            if (of[i] != k) continue;
            int p = lane[i];
            while (taken[p]) p = (p + 1) % width;
            taken[p] = true;
            now[i] = p;
            from[p] = width + lane[i];
        }
        all = shuffled(e, all ? all : v[k], v[k], from);
    }
    return shuffled(e, all, all, now);
}

/* Reading ---------------------------------------------------------------------------------------------------------- */

static LLVMValueRef place(SimdEmit *e, LLVMValueRef p, int64_t bytes) {
    LLVMValueRef by = cg_i64(e->cg, bytes);
    return LLVMBuildGEP2(e->b, e->cg->i8, p, &by, 1, "");
}

/* Of the vector that begins with this element, which lanes are there? As the items that they belong to; what lies
 * behind an item's last part may be nobody's. */
static LLVMValueRef mask_at(SimdEmit *e, const SimdParts *p, LLVMValueRef mask, int element) {
    int width = e->shape.width, *from = arena_array(e->g->arena, int, width);
    for (int i = 0; i < width; i++) {
        int item = (element + i) / p->step, part = (element + i) % p->step;
        from[i] = part <= p->hi - p->lo ? item : width;
    }
    return shuffled(e, mask, LLVMConstNull(LLVMTypeOf(mask)), from);
}

/* Vectors under a mask are read as such where the machine can do that. */
static bool can_mask(const SimdEmit *e, LLVMTypeRef t) { return e->target->mask_registers || simd_bytes(e->g, t) >= 4; }

bool simd_reads_parts(const SimdEmit *e, const SimdValue *load, const LLVMValueRef *mask) {
    return load->parts >= 0 && !e->order && (!mask || can_mask(e, LLVMTypeOf(load->v)));
}

/* Elements of all items, beginning with the lowest part of the first: as vectors, the last of which ends with the
 * highest part of the last one. */
LLVMValueRef simd_load_parts(SimdEmit *e, const SimdValue *load, int row, int vector, LLVMValueRef *mask) {
    const SimdParts *p = &e->g->parts.at[load->parts];
    LLVMTypeRef t = LLVMTypeOf(load->v);
    int width = e->shape.width, total = (width - 1) * p->step + (int)(p->hi - p->lo) + 1;
    int n = (total + width - 1) / width;
    int64_t bytes = simd_bytes(e->g, t), here = 0;
    LLVMValueRef *v = arena_array(e->g->arena, LLVMValueRef, n);
    for (int i = 0; i < p->of.n; i++)
        if (e->g->values.at[p->of.at[i]].v == load->v) here = p->place.at[i];
    LLVMValueRef first = place(e, simd_scalar(e, LLVMGetOperand(load->v, 0), row, vector), (p->lo - here) * bytes);
    for (int k = 0; k < n; k++) {
        int element = k == n - 1 ? total - width : k * width;
        LLVMValueRef some = mask ? mask_at(e, p, *mask, element) : NULL;
        v[k] = simd_load_elements(e, load->v, (unsigned)bytes, place(e, first, element * bytes), mask ? &some : NULL);
    }
    int *of = arena_array(e->g->arena, int, 2 * width), *lane = of + width;
    LLVMValueRef mine = NULL;
    for (int i = 0; i < p->of.n; i++) {
        for (int l = 0; l < width; l++) {
            int element = l * p->step + (int)(p->place.at[i] - p->lo);
            of[l] = element / width;
            if (of[l] > n - 1) of[l] = n - 1;
            lane[l] = of[l] == n - 1 ? element - (total - width) : element % width;
        }
        const SimdValue *value = &e->g->values.at[p->of.at[i]];
        LLVMValueRef one = gathered(e, v, n, of, lane);
        e->copy[p->of.at[i]][simd_copy_at(e, value->rate, row, vector)] = one;
        if (value == load) mine = one;
    }
    return mine;
}

/* Writing ---------------------------------------------------------------------------------------------------------- */

bool simd_writes_parts(const SimdEmit *e, const SimdValue *store) { return store->parts >= 0 && !e->order; }

/* All parts are there with the last one. */
bool simd_ends_parts(const SimdEmit *e, const SimdValue *store) {
    const SimdParts *p = &e->g->parts.at[store->parts];
    return &e->g->values.at[p->of.at[p->of.n - 1]] == store;
}

const SimdValue *simd_part(const SimdEmit *e, const SimdValue *store, int i) {
    const SimdParts *p = &e->g->parts.at[store->parts];
    return i < p->of.n ? &e->g->values.at[p->of.at[i]] : NULL;
}

/* Where the number of parts is even, those at even places and those at odd ones are put together first, then in turn. */
static void zipped(SimdEmit *e, LLVMValueRef *parts, int n, LLVMValueRef *to) {
    int width = e->shape.width, *of = arena_array(e->g->arena, int, 2 * width), *lane = of + width;
    if (n % 2 == 0) {
        LLVMValueRef *half = arena_array(e->g->arena, LLVMValueRef, 2 * n), *both = half + n;
        for (int i = 0; i < n; i++) half[i % 2 * (n / 2) + i / 2] = parts[i];
        zipped(e, half, n / 2, both);
        zipped(e, half + n / 2, n / 2, both + n / 2);
        for (int k = 0; k < n; k++) {
            for (int l = 0; l < width; l++) of[l] = k % 2 * width / 2 + l / 2 + l % 2 * width;
            to[k] = shuffled(e, both[k / 2], both[n / 2 + k / 2], of);
        }
        return;
    }
    for (int k = 0; k < n; k++) {
        for (int l = 0; l < width; l++) {
            of[l] = (k * width + l) % n;
            lane[l] = (k * width + l) / n;
        }
        to[k] = gathered(e, parts, n, of, lane);
    }
}

void simd_store_parts(SimdEmit *e, const SimdValue *store, int row, int vector, LLVMValueRef *mask) {
    const SimdParts *p = &e->g->parts.at[store->parts];
    int n = p->step;
    int64_t bytes = simd_bytes(e->g, element_of(store->v)), here = 0;
    LLVMValueRef *parts = arena_array(e->g->arena, LLVMValueRef, 2 * n), *whole = parts + n;
    for (int i = 0; i < n; i++) {
        LLVMValueRef v = e->g->values.at[p->of.at[i]].v;
        parts[p->place.at[i] - p->lo] = simd_vector(e, LLVMGetOperand(v, 0), row, vector);
        if (v == store->v) here = p->place.at[i];
    }
    if (n == 1) whole[0] = parts[0];
    else zipped(e, parts, n, whole);
    LLVMValueRef first = place(e, simd_scalar(e, LLVMGetOperand(store->v, 1), row, vector), (p->lo - here) * bytes);
    for (int k = 0; k < n; k++) {
        LLVMValueRef some = mask ? mask_at(e, p, *mask, k * e->shape.width) : NULL;
        LLVMValueRef at = place(e, first, k * e->shape.width * bytes);
        simd_store_elements(e, store->v, (unsigned)bytes, whole[k], at, mask ? &some : NULL);
    }
}
