/* transpose.c -- vectors transposed in registers: as many as one has lanes, or fewer, square by square. */
#include "irgen/simd/emit.h"

/* Two vectors in, two out: the lanes of both, counted through, that each takes. */
static void permute_both(SimdEmit *e, LLVMValueRef *a, LLVMValueRef *b, LLVMValueRef *first, LLVMValueRef *second) {
    LLVMValueRef was = *a;
    *a = LLVMBuildShuffleVector(e->b, was, *b, LLVMConstVector(first, (unsigned)e->shape.width), "");
    *b = LLVMBuildShuffleVector(e->b, was, *b, LLVMConstVector(second, (unsigned)e->shape.width), "");
}

/* Of two vectors of which one is `far` places behind the other: their squares of that size off the diagonal change
 * places. */
static void exchange(SimdEmit *e, LLVMValueRef *a, LLVMValueRef *b, int far) {
    int width = e->shape.width;
    LLVMValueRef *upper = arena_array(e->g->arena, LLVMValueRef, 2 * width), *lower = upper + width;
    for (int i = 0; i < width; i++) {
        upper[i] = cg_i32(e->cg, i & far ? width + i - far : i);
        lower[i] = cg_i32(e->cg, i & far ? width + i : i + far);
    }
    permute_both(e, a, b, upper, lower);
}

/* Of two vectors, in each stretch of `stretch` lanes: `unit` lanes of the one and of the other in turn, from the
 * stretch's first half, and from its second. */
static void unpack(SimdEmit *e, LLVMValueRef *a, LLVMValueRef *b, int unit, int stretch) {
    int width = e->shape.width;
    LLVMValueRef *low = arena_array(e->g->arena, LLVMValueRef, 2 * width), *high = low + width;
    for (int i = 0; i < width; i++) {
        int turn = i % stretch / unit, from = i - i % stretch + turn / 2 * unit + i % unit + (turn % 2 ? width : 0);
        low[i] = cg_i32(e->cg, from);
        high[i] = cg_i32(e->cg, from + stretch / 2);
    }
    permute_both(e, a, b, low, high);
}

static void turn_pairs(SimdEmit *e, LLVMValueRef *lines, int n, int far, int stretch) {
    for (int i = 0; i < n; i++) {
        if (i & far) continue;
        if (far < stretch) unpack(e, &lines[i], &lines[i + far], far, stretch);
        else exchange(e, &lines[i], &lines[i + far], far);
    }
}

/* With the bits below `limit` in reverse. */
static int mirrored(int i, int limit) {
    int m = i / limit * limit;
    for (int bit = 1; bit < limit; bit *= 2)
        if (i & bit) m += limit / 2 / bit;
    return m;
}

/* Squares of n by n elements side by side become their columns. Within 16 bytes in the form that every machine has an
 * instruction for: LLVM tries long to find one for any other, and ends with as many. Unpacked columns come in mirrored
 * order. */
void simd_transpose_squares(SimdEmit *e, LLVMValueRef *lines, int n) {
    int stretch = (int)(16 / simd_bytes(e->g, LLVMGetElementType(LLVMTypeOf(lines[0]))));
    if (stretch > n) stretch = n;
    for (int far = 1; far < n; far *= 2) turn_pairs(e, lines, n, far, stretch);
    for (int i = 0; i < n; i++) {
        int m = mirrored(i, stretch);
        LLVMValueRef line = lines[i];
        if (m < i) continue;
        lines[i] = lines[m];
        lines[m] = line;
    }
}

void simd_transpose(SimdEmit *e, LLVMValueRef *lines) { simd_transpose_squares(e, lines, e->shape.width); }
