/* reduce.c -- reductions: combines the values of all work items. Items are accumulated round-robin in LANES
 * accumulators, which are then combined pairwise: the order of compiled programs where a launch is one block. */
#include <math.h>

#include "interp/run.h"

enum { LANES = 32 };

Const interp_identity(Reduction r, const Type *t) {
    uint64_t top = UINT64_C(1) << (t->bits - 1);
    switch (r) {
    case REDUCE_SUM: case REDUCE_COUNT: return t->is_float ? const_float(0) : const_int(0);
    case REDUCE_PROD: return t->is_float ? const_float(1) : const_int(1);
    case REDUCE_ANY: return const_bool(false);
    case REDUCE_ALL: return const_bool(true);
    case REDUCE_MIN:
        if (t->is_float) return const_float(INFINITY);
        return const_int(int_wrap(t->is_signed ? (int64_t)(top - 1) : -1, t));
    case REDUCE_MAX:
        if (t->is_float) return const_float(-INFINITY);
        return const_int(t->is_signed ? int_wrap((int64_t)top, t) : 0);
    case REDUCE_NONE: break;
    }
    return (Const){0};
}

static Const join(Reduction r, const Type *t, Const a, Const b) {
    switch (r) {
    case REDUCE_SUM: return arith_binary(OP_ADD, t, a, b, NULL);
    case REDUCE_PROD: return arith_binary(OP_MUL, t, a, b, NULL);
    case REDUCE_COUNT: return const_int(a.i + b.i);
    case REDUCE_ANY: return const_bool(a.i || b.i);
    case REDUCE_ALL: return const_bool(a.i && b.i);
    case REDUCE_MIN: case REDUCE_MAX: return arith_min_or_max(r == REDUCE_MAX, t, a, b);
    case REDUCE_NONE: break;
    }
    return a;
}

Const interp_reduce(const Func *k, const void *values, int64_t n) {
    enum { CHUNK = 512 };
    const Type *item = k->item_result, *result = k->result;
    Reduction r = k->reduction;
    int64_t group = k->group.items ? k->group.items : 1, chunk = group < CHUNK ? CHUNK / group * group : group;
    int64_t bytes = type_size_bytes(item);
    Const acc[LANES];
    for (int i = 0; i < LANES; i++) acc[i] = interp_identity(r, result);
    for (int64_t k = 0; k < n; k++) {
        Const v = interp_load(item, (const char *)values + k * bytes);
        int lane = (int)(k % chunk % LANES);
        acc[lane] = join(r, result, acc[lane], v);
    }
    for (int width = LANES / 2; width; width /= 2)
        for (int i = 0; i < width; i++) acc[i] = join(r, result, acc[i], acc[i + width]);
    return acc[0];
}
