/* interleave.c -- interleaved accesses (parts.c) of a block. All parts are read as whole vectors, from which one for
 * each part is put together, and written likewise; nothing is read behind the last item's, nor written that is none.
 *
 * Where items are far apart, or at unknown places, and each has a vector's elements or more side by side, as when it
 * walks along a row (walked.c), each lane's are read, or written, as a whole vector, and as many of these transposed.
 */
#include "irgen/simd/emit.h"

/* Permutations ----------------------------------------------------------------------------------------------------- */

static LLVMValueRef shuffled(SimdEmit *e, LLVMValueRef a, LLVMValueRef b, const int *from) {
    LLVMValueRef *order = arena_array(e->g->arena, LLVMValueRef, e->shape.width);
    for (int i = 0; i < e->shape.width; i++)
        order[i] = from[i] < 0 ? LLVMGetPoison(e->cg->i32) : cg_i32(e->cg, from[i]);
    return LLVMBuildShuffleVector(e->b, a, b, LLVMConstVector(order, (unsigned)e->shape.width), "");
}

/* A vector whose lane i is lane `lane[i]` of `v[of[i]]`. Lanes stay where they are in their own vectors as long as they
 * can, for then putting two vectors together is a blend; one permutation at the end brings all to their places.
 * of[i] < 0: lane i does not matter. */
LLVMValueRef simd_gathered(SimdEmit *e, LLVMValueRef *v, int n, const int *of, const int *lane) {
    int width = e->shape.width, n_used = 0, used[2] = {0};
    int *now = arena_array(e->g->arena, int, 2 * width), *from = now + width;
    bool *taken = arena_array(e->g->arena, bool, n + width), *is_used = taken + width;
    for (int i = 0; i < width; i++) {
        if (of[i] < 0) continue;
        if (!is_used[of[i]] && n_used < 2) used[n_used] = of[i];
        n_used += !is_used[of[i]];
        is_used[of[i]] = true;
    }
    if (n_used <= 2) {
        for (int i = 0; i < width; i++)
            from[i] = of[i] < 0 ? -1 : lane[i] + (n_used == 2 && of[i] == used[1] ? width : 0);
        return shuffled(e, v[used[0]], v[n_used == 2 ? used[1] : used[0]], from);
    }
    LLVMValueRef all = NULL;
    for (int i = 0; i < width; i++) now[i] = -1;
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
    if (!simd_is_part(e->g, load, e->shape.width)) return false;
    return !mask || simd_is_of_rows(e->g, load) || can_mask(e, LLVMTypeOf(load->v));
}

/* The distance in bytes from this lane's. places: of all lanes; NULL: each lane's is made for it */
static LLVMValueRef row_place(SimdEmit *e, const SimdValue *access, int row, int vector, int lane, LLVMValueRef places,
                              int64_t bytes) {
    LLVMValueRef p = simd_address(access->v), n = cg_i32(e->cg, lane);
    LaneRate at = simd_rate(e->g, p, e->block);
    if (places) return place(e, LLVMBuildExtractElement(e->b, places, n, ""), bytes);
    if (at.x == LANE_VARYING) return place(e, simd_lane(e, p, row, vector, n), bytes);
    return place(e, simd_scalar(e, p, row, vector), lane * at.stride + bytes);
}

/* Of the parts, that of this access. */
static int64_t element_at(const SimdEmit *e, const SimdParts *p, const SimdValue *access) {
    int i = 0;
    while (e->g->values.at[p->of.at[i]].v != access->v) i++;
    return p->place.at[i];
}

/* What lies so far ahead in a row that an item walks along (ahead.c), right beside the access: then no more addresses
 * are live than without it. */
static void fetch_row(SimdEmit *e, LLVMValueRef by, LLVMValueRef at) {
    if (by) simd_prefetch(e->cg, LLVMBuildGEP2(e->b, e->cg->i8, at, &by, 1, ""), SECOND_CACHE);
}

/* The same as two loads of half as many that may overlap, put together in a word: elements that both have are equal. */
static LLVMValueRef load_word(SimdEmit *e, LLVMValueRef load, LLVMValueRef from, int there, int n) {
    LLVMTypeRef t = LLVMTypeOf(load);
    int64_t bytes = simd_bytes(e->g, t), second = (there - n / 2) * bytes;
    LLVMTypeRef half = LLVMIntTypeInContext(e->cg->ctx, (unsigned)(n / 2 * bytes * 8));
    LLVMTypeRef word = LLVMIntTypeInContext(e->cg->ctx, (unsigned)(n * bytes * 8));
    LLVMValueRef v[2];
    for (int i = 0; i < 2; i++) {
        LLVMValueRef run = simd_load_run(e, load, i ? place(e, from, second) : from, n / 2, false);
        v[i] = LLVMBuildZExt(e->b, LLVMBuildBitCast(e->b, run, half, ""), word, "");
    }
    LLVMValueRef last = LLVMBuildShl(e->b, v[1], LLVMConstInt(word, (uint64_t)second * 8, false), "");
    return LLVMBuildBitCast(e->b, LLVMBuildOr(e->b, v[0], last, ""), LLVMVectorType(t, (unsigned)n), "");
}

/* n elements of a lane's row, of which so many are there: what lies after them may be nobody's. */
static LLVMValueRef load_row(SimdEmit *e, LLVMValueRef load, LLVMValueRef from, int there, int n) {
    LLVMTypeRef t = LLVMTypeOf(load);
    int64_t bytes = simd_bytes(e->g, t);
    LLVMValueRef *lanes = arena_array(e->g->arena, LLVMValueRef, n);
    if (there >= n) return simd_load_run(e, load, from, n, false);
    if (can_mask(e, t)) {
        for (int i = 0; i < n; i++) lanes[i] = LLVMConstInt(e->cg->i1, i < there, false);
        return simd_load_some(e, load, from, LLVMConstVector(lanes, (unsigned)n));
    }
    if (n * bytes <= 8) return load_word(e, load, from, there, n);
    int half = n / 2;
    LLVMValueRef first = simd_load_run(e, load, from, half, false);
    LLVMValueRef last = simd_load_run(e, load, place(e, from, (there - half) * bytes), half, false);
    for (int i = 0; i < n; i++) {
        int at = i < half ? i : i < there ? i - there + n : -1;
        lanes[i] = at < 0 ? LLVMGetPoison(e->cg->i32) : cg_i32(e->cg, at);
    }
    return LLVMBuildShuffleVector(e->b, first, last, LLVMConstVector(lanes, (unsigned)n), "");
}

/* One after another in one vector; their number is a power of 2. */
LLVMValueRef simd_joined(SimdEmit *e, LLVMValueRef *v, int n) {
    if (n == 1) return v[0];
    LLVMValueRef first = simd_joined(e, v, n / 2), second = simd_joined(e, v + n / 2, n / 2);
    unsigned lanes = 2 * LLVMGetVectorSize(LLVMTypeOf(first));
    LLVMValueRef *order = arena_array(e->g->arena, LLVMValueRef, lanes);
    for (unsigned i = 0; i < lanes; i++) order[i] = cg_i32(e->cg, (int)i);
    return LLVMBuildShuffleVector(e->b, first, second, LLVMConstVector(order, lanes), "");
}

/* Of each lane as many elements of its row as a vector has, or all of a short row, transposed; as many times as it
 * takes, the last time up to the last part. Short rows are joined so that each square of them is of lanes in a row.
 * Lanes that are not there read from a place that always is. */
static LLVMValueRef load_rows(SimdEmit *e, const SimdValue *load, int row, int vector, LLVMValueRef *mask) {
    const SimdParts *p = &e->g->parts.at[load->parts];
    int64_t bytes = simd_bytes(e->g, LLVMTypeOf(load->v)), here = element_at(e, p, load);
    int width = e->shape.width, total = simd_reach(p), length = simd_row_length(p, width, bytes);
    int n = (total + length - 1) / length;
    LLVMValueRef *v = arena_array(e->g->arena, LLVMValueRef, total + 3 * width), *lines = v + total + width;
    LLVMValueRef *rows = lines + width;
    bool is_vector = mask || !simd_is_made_by_lane(e, simd_address(load->v));
    LLVMValueRef places = is_vector ? simd_vector(e, simd_address(load->v), row, vector) : NULL, mine = NULL;
    LLVMValueRef ahead = simd_ahead_in_rows(e, load, row, vector);
    for (int k = 0; k < n; k++) {
        int first = k == n - 1 && total >= length ? total - length : k * length;
        int64_t by = (p->lo + first - here) * bytes;
        LLVMValueRef shift = simd_splat(e, cg_i64(e->cg, by)), at = places;
        if (mask) {
            at = LLVMBuildGEP2(e->b, e->cg->i8, at, &shift, 1, "");
            at = LLVMBuildSelect(e->b, *mask, at, simd_splat(e, simd_safe_place(e)), "");
            by = 0;
        }
        for (int i = 0; i < length; i++) {
            for (int g = 0; g < width / length; g++) {
                LLVMValueRef from = row_place(e, load, row, vector, g * length + i, at, by);
                rows[g] = load_row(e, load->v, from, total, length);
                if (!k) fetch_row(e, ahead, from);
            }
            lines[i] = simd_joined(e, rows, width / length);
        }
        simd_transpose_squares(e, lines, length);
        for (int i = 0; i < length; i++) v[first + i] = lines[i];
    }
    for (int i = 0; i < p->of.n; i++) {
        const SimdValue *value = &e->g->values.at[p->of.at[i]];
        LLVMValueRef one = v[p->place.at[i] - p->lo];
        e->copy[p->of.at[i]][simd_copy_at(e, value->rate, row, vector)] = one;
        if (value == load) mine = one;
    }
    return mine;
}

/* The inverse of `zipped`: of n vectors in which n parts take turns, those at even and those at odd places first, and
 * so on while their number is even. Part i is at i * step. */
static void unzipped(SimdEmit *e, LLVMValueRef *v, int n, const bool *wanted, int step, LLVMValueRef *to) {
    int width = e->shape.width, *from = arena_array(e->g->arena, int, 2 * width), *lane = from + width;
    bool any = false;
    for (int i = 0; i < n; i++) any |= wanted[i * step];
    if (!any) return;
    if (n % 2 == 0) {
        LLVMValueRef *half = arena_array(e->g->arena, LLVMValueRef, n / 2);
        for (int odd = 0; odd < 2; odd++) {
            for (int l = 0; l < width; l++) from[l] = 2 * l + odd;
            for (int k = 0; k < n / 2; k++) half[k] = shuffled(e, v[2 * k], v[2 * k + 1], from);
            unzipped(e, half, n / 2, wanted + odd * step, 2 * step, to + odd * step);
        }
        return;
    }
    for (int i = 0; i < n; i++) {
        for (int l = 0; l < width; l++) {
            from[l] = (l * n + i) / width;
            lane[l] = (l * n + i) % width;
        }
        if (wanted[i * step]) to[i * step] = n == 1 ? v[0] : simd_gathered(e, v, n, from, lane);
    }
}

/* Is it less to take even and odd places apart, log2(n) times all vectors, than to put each part together from all of
 * them? That is so where a permutation of two vectors is one instruction, or where a blend is more than one. */
static bool is_unzipped(const SimdEmit *e, const SimdParts *p, int64_t bytes) {
    return p->step % 2 == 0 && simd_reach(p) == p->step && 2 * p->of.n > p->step &&
           (bytes < 4 || e->target->mask_registers);
}

/* Elements of all items, beginning with the lowest part of the first: as vectors, the last of which ends with the
 * highest part of the last one. */
LLVMValueRef simd_load_parts(SimdEmit *e, const SimdValue *load, int row, int vector, LLVMValueRef *mask) {
    const SimdParts *p = &e->g->parts.at[load->parts];
    LLVMTypeRef t = LLVMTypeOf(load->v);
    if (p->step == ANY_STEP) return load_rows(e, load, row, vector, mask);
    int width = e->shape.width, total = (width - 1) * p->step + (int)(p->hi - p->lo) + 1;
    int n = (total + width - 1) / width;
    int64_t bytes = simd_bytes(e->g, t), here = element_at(e, p, load);
    LLVMValueRef *v = arena_array(e->g->arena, LLVMValueRef, n);
    LLVMValueRef first = place(e, simd_scalar(e, LLVMGetOperand(load->v, 0), row, vector), (p->lo - here) * bytes);
    for (int k = 0; k < n; k++) {
        int element = k == n - 1 ? total - width : k * width;
        LLVMValueRef some = mask ? mask_at(e, p, *mask, element) : NULL;
        v[k] = simd_load_elements(e, load->v, (unsigned)bytes, place(e, first, element * bytes), mask ? &some : NULL);
    }
    int *of = arena_array(e->g->arena, int, 2 * width), *lane = of + width;
    LLVMValueRef mine = NULL, *apart = NULL;
    if (is_unzipped(e, p, bytes)) {
        bool *wanted = arena_array(e->g->arena, bool, p->step);
        for (int i = 0; i < p->of.n; i++) wanted[p->place.at[i] - p->lo] = true;
        apart = arena_array(e->g->arena, LLVMValueRef, p->step);
        unzipped(e, v, p->step, wanted, 1, apart);
    }
    for (int i = 0; i < p->of.n; i++) {
        for (int l = 0; l < width; l++) {
            int element = l * p->step + (int)(p->place.at[i] - p->lo);
            of[l] = element / width;
            if (of[l] > n - 1) of[l] = n - 1;
            lane[l] = of[l] == n - 1 ? element - (total - width) : element % width;
        }
        const SimdValue *value = &e->g->values.at[p->of.at[i]];
        LLVMValueRef one = apart ? apart[p->place.at[i] - p->lo] : simd_gathered(e, v, n, of, lane);
        e->copy[p->of.at[i]][simd_copy_at(e, value->rate, row, vector)] = one;
        if (value == load) mine = one;
    }
    return mine;
}

/* Writing ---------------------------------------------------------------------------------------------------------- */

bool simd_writes_parts(const SimdEmit *e, const SimdValue *store) { return simd_is_part(e->g, store, e->shape.width); }

/* All parts are there with the last one. */
bool simd_ends_parts(const SimdEmit *e, const SimdValue *store) {
    const SimdParts *p = &e->g->parts.at[store->parts];
    return &e->g->values.at[p->of.at[p->of.n - 1]] == store;
}

const SimdValue *simd_part(const SimdEmit *e, const SimdValue *store, int i) {
    const SimdParts *p = &e->g->parts.at[store->parts];
    return i < p->of.n ? &e->g->values.at[p->of.at[i]] : NULL;
}

/* Where the number of parts is even, those at even places and those at odd ones are put together first, then in turn.
 */
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
        to[k] = simd_gathered(e, parts, n, of, lane);
    }
}

/* The same for rows; the last vector of a row may overlap the one before. Lanes that are not there write to a place
 * that nobody reads. */
static void store_rows(SimdEmit *e, const SimdValue *store, int row, int vector, LLVMValueRef *mask) {
    const SimdParts *p = &e->g->parts.at[store->parts];
    int width = e->shape.width, total = simd_reach(p);
    int64_t bytes = simd_bytes(e->g, simd_element(store->v)), here = element_at(e, p, store);
    bool is_vector = mask || !simd_is_made_by_lane(e, simd_address(store->v));
    LLVMValueRef places = is_vector ? simd_vector(e, simd_address(store->v), row, vector) : NULL;
    LLVMValueRef *v = arena_array(e->g->arena, LLVMValueRef, total + width), *lines = v + total;
    for (int i = 0; i < total; i++)
        v[p->place.at[i] - p->lo] = simd_vector(e, LLVMGetOperand(e->g->values.at[p->of.at[i]].v, 0), row, vector);
    LLVMValueRef ahead = simd_ahead_in_rows(e, store, row, vector), spare = NULL;
    LLVMTypeRef line = LLVMVectorType(LLVMTypeOf(LLVMGetOperand(store->v, 0)), (unsigned)width);
    if (mask) spare = simd_splat(e, simd_alloca(e, line, "spare"));
    for (int at = 0; at < total; at += width) {
        int first = at + width > total ? total - width : at;
        for (int i = 0; i < width; i++) lines[i] = v[first + i];
        simd_transpose(e, lines);
        int64_t by = (p->lo + first - here) * bytes;
        LLVMValueRef there = places;
        if (mask) {
            LLVMValueRef shift = simd_splat(e, cg_i64(e->cg, by));
            there = LLVMBuildGEP2(e->b, e->cg->i8, places, &shift, 1, "");
            there = LLVMBuildSelect(e->b, *mask, there, spare, "");
            by = 0;
        }
        for (int lane = 0; lane < width; lane++) {
            LLVMValueRef to = row_place(e, store, row, vector, lane, there, by);
            simd_store_elements(e, store->v, (unsigned)bytes, lines[lane], to, NULL);
            if (!at) fetch_row(e, ahead, to);
        }
    }
}

void simd_store_parts(SimdEmit *e, const SimdValue *store, int row, int vector, LLVMValueRef *mask) {
    const SimdParts *p = &e->g->parts.at[store->parts];
    int n = p->step;
    if (n == ANY_STEP) {
        store_rows(e, store, row, vector, mask);
        return;
    }
    int64_t bytes = simd_bytes(e->g, simd_element(store->v)), here = element_at(e, p, store);
    LLVMValueRef *parts = arena_array(e->g->arena, LLVMValueRef, 2 * n), *whole = parts + n;
    LLVMValueRef first = place(e, simd_scalar(e, LLVMGetOperand(store->v, 1), row, vector), (p->lo - here) * bytes);
    if (p->of.n < n) {
        simd_store_gaps(e, store, first, row, vector, mask);
        return;
    }
    for (int i = 0; i < n; i++)
        parts[p->place.at[i] - p->lo] = simd_vector(e, LLVMGetOperand(e->g->values.at[p->of.at[i]].v, 0), row, vector);
    if (n == 1) whole[0] = parts[0];
    else zipped(e, parts, n, whole);
    for (int k = 0; k < n; k++) {
        LLVMValueRef some = mask ? mask_at(e, p, *mask, k * e->shape.width) : NULL;
        LLVMValueRef at = place(e, first, k * e->shape.width * bytes);
        simd_store_elements(e, store->v, (unsigned)bytes, whole[k], at, mask ? &some : NULL);
    }
}
