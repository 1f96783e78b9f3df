/* tables.c -- table lookup in registers: an element of a constant array that one or two registers hold is taken out of
 * them by a permutation, in place of a gather. `DIGITS[x[i] & 15]` of bytes is one instruction for 16 to 64 items,
 * where a gather, which processors do not have for bytes, goes lane by lane.
 *
 * Legal: the index of a lane that is live is below the length; what others take does not matter, and no memory is read.
 *
 *                  bytes                             16 bits     32 bits     64 bits
 *     AVX-512      16 (vpshufb), VBMI: 128 (vpermb)  64          32          16
 *     AVX2, SSSE3  16                                            16 (AVX2)
 */
#include "irgen/simd/emit.h"

enum { LANE_BYTES = 16 /* in which vpshufb permutes */, MOST_REGISTERS = 2 };

/* The elements of a register, and its instruction for one register of the table, and for two. */
typedef struct Permute {
    int lanes;
    const char *one, *two; /* two NULL: of two results one is selected */
    bool in_lanes;         /* each part of 16 bytes for itself */
} Permute;

static Permute permute_of(const SimdTarget *t, int64_t bytes) {
    static const Permute none = {0};
    if (t->vector_bits == 512) {
        if (bytes == 1 && t->permutes_bytes)
            return (Permute){64, "llvm.x86.avx512.permvar.qi.512", "llvm.x86.avx512.vpermi2var.qi.512", false};
        if (bytes == 1) return (Permute){64, "llvm.x86.avx512.pshuf.b.512", NULL, true};
        if (bytes == 2)
            return (Permute){32, "llvm.x86.avx512.permvar.hi.512", "llvm.x86.avx512.vpermi2var.hi.512", false};
        if (bytes == 4)
            return (Permute){16, "llvm.x86.avx512.permvar.si.512", "llvm.x86.avx512.vpermi2var.d.512", false};
        if (bytes == 8)
            return (Permute){8, "llvm.x86.avx512.permvar.di.512", "llvm.x86.avx512.vpermi2var.q.512", false};
    }
    if (t->vector_bits == 256 && bytes == 1) return (Permute){32, "llvm.x86.avx2.pshuf.b", NULL, true};
    if (t->vector_bits == 256 && bytes == 4) return (Permute){8, "llvm.x86.avx2.permd", NULL, false};
    if (t->vector_bits == 128 && bytes == 1 && t->permutes_bytes)
        return (Permute){16, "llvm.x86.ssse3.pshuf.b.128", NULL, true};
    return none;
}

/* Which table ------------------------------------------------------------------------------------------------------ */

typedef struct Table {
    LLVMValueRef values, index;
    int n;
    int64_t bytes;
    Permute permute;
    int n_registers;
} Table;

static bool find_table(const SimdRegion *g, const SimdValue *load, Table *table) {
    LLVMValueRef at = LLVMIsALoadInst(load->v) ? simd_address(load->v) : NULL;
    if (!at || !g->target || load->private_of >= 0 || simd_is_atomic(load->v) || LLVMGetVolatile(load->v)) return false;
    if (!LLVMIsAGetElementPtrInst(at) || LLVMGetNumOperands(at) != 2) return false;
    LLVMValueRef array = LLVMGetOperand(at, 0);
    LLVMTypeRef type = LLVMTypeOf(load->v);
    LLVMTypeKind kind = LLVMGetTypeKind(type);
    bool is_number = kind == LLVMIntegerTypeKind || kind == LLVMFloatTypeKind || kind == LLVMDoubleTypeKind;
    if (!is_number || !LLVMIsAGlobalVariable(array) || !LLVMIsGlobalConstant(array)) return false;
    LLVMTypeRef all = LLVMGlobalGetValueType(array);
    if (LLVMGetTypeKind(all) != LLVMArrayTypeKind || LLVMGetElementType(all) != type) return false;
    table->values = LLVMGetInitializer(array);
    table->index = LLVMGetOperand(at, 1);
    table->bytes = simd_bytes(g, type);
    if (!table->values || simd_bytes(g, LLVMGetGEPSourceElementType(at)) != table->bytes) return false;
    table->permute = permute_of(g->target, table->bytes);
    int room = table->permute.in_lanes ? LANE_BYTES : table->permute.lanes;
    uint64_t n = LLVMGetArrayLength2(all);
    if (!room || n > (uint64_t)(table->permute.in_lanes ? 1 : MOST_REGISTERS) * (uint64_t)room) return false;
    table->n = (int)n;
    table->n_registers = ((int)n + room - 1) / room;
    return true;
}

bool simd_is_table(const SimdRegion *g, const SimdValue *load) {
    Table table;
    return simd_allows(g, TABLES) && load->rate.x == LANE_VARYING && find_table(g, load, &table);
}

/* Is it only there for the address of such loads? */
bool simd_is_of_table(const SimdRegion *g, LLVMValueRef v) {
    bool is_place = LLVMIsAGetElementPtrInst(v), is_index = LLVMIsAZExtInst(v) || LLVMIsASExtInst(v);
    if ((!is_place && !is_index) || !LLVMGetFirstUse(v)) return false;
    for (LLVMUseRef u = LLVMGetFirstUse(v); u; u = LLVMGetNextUse(u)) {
        LLVMValueRef user = LLVMGetUser(u);
        int i = value_map_get(g->value_of, user);
        if (i < 0 || (is_place ? !simd_is_table(g, &g->values.at[i]) : !simd_is_of_table(g, user))) return false;
    }
    return true;
}

/* Instructions for `width` lanes. */
double simd_table_cost(const SimdRegion *g, const SimdValue *load, int width) {
    Table table;
    if (!find_table(g, load, &table)) return 0;
    int pieces = (width + table.permute.lanes - 1) / table.permute.lanes;
    return pieces * (1 + (table.n_registers > 1 ? 2 : 0));
}

/* Looking up ------------------------------------------------------------------------------------------------------- */

static LLVMTypeRef integer_of(const SimdEmit *e, const Table *t) {
    return LLVMIntTypeInContext(e->cg->ctx, (unsigned)t->bytes * 8);
}

static LLVMValueRef some_lanes(SimdEmit *e, LLVMValueRef a, LLVMValueRef b, int from, int n, int has) {
    LLVMValueRef *order = arena_array(e->g->arena, LLVMValueRef, n);
    for (int i = 0; i < n; i++) order[i] = from + i < has ? cg_i32(e->cg, from + i) : LLVMGetPoison(e->cg->i32);
    return LLVMBuildShuffleVector(e->b, a, b, LLVMConstVector(order, (unsigned)n), "");
}

/* The table's registers, as integers. */
static LLVMValueRef register_of(SimdEmit *e, const Table *t, int k) {
    LLVMTypeRef type = integer_of(e, t);
    int lanes = t->permute.lanes;
    LLVMValueRef *at = arena_array(e->g->arena, LLVMValueRef, lanes);
    for (int i = 0; i < lanes; i++) {
        int from = t->permute.in_lanes ? i % LANE_BYTES : k * lanes + i;
        LLVMValueRef c = from < t->n ? LLVMGetAggregateElement(t->values, (unsigned)from) : LLVMConstNull(type);
        at[i] = LLVMTypeOf(c) == type ? c : LLVMConstBitCast(c, type);
    }
    return LLVMConstVector(at, (unsigned)lanes);
}

static LLVMValueRef permuted(SimdEmit *e, const Table *t, LLVMValueRef index) {
    LLVMValueRef first = register_of(e, t, 0), one[2] = {first, index};
    if (t->n_registers == 1) return simd_intrinsic(e, t->permute.one, NULL, 0, one, 2);
    LLVMValueRef second = register_of(e, t, 1), two[3] = {first, index, second};
    if (t->permute.two) return simd_intrinsic(e, t->permute.two, NULL, 0, two, 3);
    LLVMValueRef low = simd_intrinsic(e, t->permute.one, NULL, 0, one, 2);
    one[0] = second;
    LLVMValueRef high = simd_intrinsic(e, t->permute.one, NULL, 0, one, 2);
    LLVMValueRef *last = arena_array(e->g->arena, LLVMValueRef, t->permute.lanes);
    for (int i = 0; i < t->permute.lanes; i++)
        last[i] = LLVMConstInt(integer_of(e, t), (uint64_t)t->permute.lanes - 1, false);
    LLVMValueRef is_high =
        LLVMBuildICmp(e->b, LLVMIntUGT, index, LLVMConstVector(last, (unsigned)t->permute.lanes), "");
    return LLVMBuildSelect(e->b, is_high, high, low, "");
}

/* As wide as the elements. Before it is extended an index that is in the table is the same number. */
static LLVMValueRef index_of(SimdEmit *e, const Table *t, int row, int vector) {
    LLVMValueRef v = t->index;
    while (LLVMIsAZExtInst(v) || (LLVMIsASExtInst(v) && LLVMGetIntTypeWidth(LLVMTypeOf(LLVMGetOperand(v, 0))) >= 8))
        v = LLVMGetOperand(v, 0);
    return LLVMBuildIntCast2(e->b, simd_vector(e, v, row, vector), simd_type(e, integer_of(e, t)), false, "");
}

LLVMValueRef simd_look_up(SimdEmit *e, const SimdValue *load, int row, int vector) {
    Table t;
    if (!find_table(e->g, load, &t)) return NULL;
    int width = e->shape.width, lanes = t.permute.lanes, n = width > lanes ? width / lanes : 1;
    LLVMValueRef index = index_of(e, &t, row, vector), *pieces = arena_array(e->g->arena, LLVMValueRef, n);
    for (int i = 0; i < n; i++) {
        LLVMValueRef at =
            width == lanes ? index : some_lanes(e, index, LLVMGetPoison(LLVMTypeOf(index)), i * lanes, lanes, width);
        pieces[i] = permuted(e, &t, at);
    }
    LLVMValueRef v = simd_joined(e, pieces, n);
    if (width < lanes) v = some_lanes(e, v, LLVMGetPoison(LLVMTypeOf(v)), 0, width, lanes);
    return LLVMBuildBitCast(e->b, v, simd_type(e, LLVMTypeOf(load->v)), "");
}
