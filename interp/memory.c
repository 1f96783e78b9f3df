/* memory.c -- the layout of values in memory, the variables of a frame, and the memory of arrays. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "interp/run.h"

enum { OWNER_ALIGN = 16, POISON = 0xa5 };
static const int64_t most_bytes = INT64_C(4) << 30; /* of one array */

/* Sizes -------------------------------------------------------------------------------------------------------- */

int64_t interp_size(const Type *t) {
    if (t->kind == TY_VOID) return 0;
    if (t->kind == TY_ARRAY) return sizeof(Array);
    return type_owns(t) ? interp_field_at(t, t->n_fields) : type_size_bytes(t);
}

int64_t interp_field_at(const Type *t, int field) {
    if (!type_owns(t)) return t->fields[field].offset;
    int64_t at = 0;
    for (int i = 0; i < field; i++) at += (interp_size(t->fields[i].type) + OWNER_ALIGN - 1) & -OWNER_ALIGN;
    return at;
}

/* f16 and bf16 ------------------------------------------------------------------------------------------------- */

typedef struct HalfFormat {
    int fraction, bias; /* bits of the fraction; of the exponent's zero */
} HalfFormat;

static HalfFormat half_format(const Type *t) { return t->kind == TY_F16 ? (HalfFormat){10, 15} : (HalfFormat){7, 127}; }

/* A NaN keeps its sign and payload as it is widened, and to bf16; to f16 its sign (irgen/lang/half.c). */
static double nan_of_half(HalfFormat h, uint16_t bits) {
    uint64_t payload = (uint64_t)bits << (52 - h.fraction) << 12 >> 12;
    uint64_t wide = (uint64_t)(bits >> 15) << 63 | UINT64_C(0x7ff8) << 48 | payload;
    double v;
    memcpy(&v, &wide, sizeof v);
    return v;
}

static uint16_t half_of_nan(const Type *t, double v) {
    uint64_t wide;
    memcpy(&wide, &v, sizeof wide);
    uint16_t sign = (uint16_t)(wide >> 48 & 0x8000);
    return t->kind == TY_F16 ? sign | 0x7e00 : (uint16_t)(sign | 0x7fc0 | (wide >> 45 & 0x3f));
}

static double half_load(const Type *t, uint16_t bits) {
    HalfFormat h = half_format(t);
    int all = (1 << (15 - h.fraction)) - 1, exponent = bits >> h.fraction & all;
    int fraction = bits & ((1 << h.fraction) - 1);
    double size;
    if (exponent == all && fraction) return nan_of_half(h, bits);
    if (exponent == all) size = INFINITY;
    else if (!exponent) size = ldexp(fraction, 1 - h.bias - h.fraction);
    else size = ldexp(fraction + (1 << h.fraction), exponent - h.bias - h.fraction);
    return bits >> 15 ? -size : size;
}

/* `v` is a value of the type. */
static uint16_t half_store(const Type *t, double v) {
    HalfFormat h = half_format(t);
    uint16_t sign = signbit(v) ? 0x8000 : 0, most = (uint16_t)(0x7fff & -(1 << h.fraction));
    int exponent;
    if (isnan(v)) return half_of_nan(t, v);
    if (isinf(v)) return sign | most;
    if (v == 0) return sign;
    double fraction = frexp(fabs(v), &exponent);
    exponent += h.bias - 1;
    if (exponent <= 0) return (uint16_t)(sign | (uint16_t)ldexp(fabs(v), h.bias + h.fraction - 1));
    uint16_t low = (uint16_t)(ldexp(fraction, h.fraction + 1) - (1 << h.fraction));
    return (uint16_t)(sign | exponent << h.fraction | low);
}

/* Loading and storing ------------------------------------------------------------------------------------------ */

#define LOAD(type) (*(const type *)at)
#define STORE(type, v) (*(type *)at = (type)(v))

Const interp_load(const Type *t, const void *at) {
    switch (t->kind) {
    case TY_BOOL: return const_bool(LOAD(uint8_t) != 0);
    case TY_I8: return const_int(LOAD(int8_t));
    case TY_I16: return const_int(LOAD(int16_t));
    case TY_I32: return const_int(LOAD(int32_t));
    case TY_U8: return const_int(LOAD(uint8_t));
    case TY_U16: return const_int(LOAD(uint16_t));
    case TY_U32: return const_int(LOAD(uint32_t));
    case TY_I64: case TY_U64: case TY_INDEX: case TY_INT_LITERAL: return const_int(LOAD(int64_t));
    case TY_F16: case TY_BF16: return const_float(half_load(t, LOAD(uint16_t)));
    case TY_F32: return const_float(LOAD(float));
    case TY_F64: case TY_FLOAT_LITERAL: return const_float(LOAD(double));
    case TY_STR: {
        const char *text = LOAD(const char *);
        return (Const){.kind = CONST_STR, .s = {text, strlen(text)}};
    }
    case TY_ERROR: case TY_VOID: case TY_ARRAY: case TY_VECTOR: case TY_STRUCT: case TY_FIXED: case TY__COUNT: break;
    }
    return (Const){0};
}

void interp_store(const Type *t, void *at, Const v) {
    switch (t->kind) {
    case TY_BOOL: STORE(uint8_t, v.i != 0); return;
    case TY_I8: case TY_U8: STORE(int8_t, v.i); return;
    case TY_I16: case TY_U16: STORE(int16_t, v.i); return;
    case TY_I32: case TY_U32: STORE(int32_t, v.i); return;
    case TY_I64: case TY_U64: case TY_INDEX: case TY_INT_LITERAL: STORE(int64_t, v.i); return;
    case TY_F16: case TY_BF16: STORE(uint16_t, half_store(t, v.f)); return;
    case TY_F32: STORE(float, v.f); return;
    case TY_F64: case TY_FLOAT_LITERAL: STORE(double, v.f); return;
    case TY_STR: STORE(const char *, v.s.at); return;
    case TY_ERROR: case TY_VOID: case TY_ARRAY: case TY_VECTOR: case TY_STRUCT: case TY_FIXED: case TY__COUNT: return;
    }
}

/* Variables ---------------------------------------------------------------------------------------------------- */

void *interp_declare(Frame *f, const Symbol *sym) {
    Slot *slot = &f->slots[sym->id];
    if (slot->at) return slot->at;
    int64_t n = interp_size(sym->type);
    slot->is_heap = n > SLOT_BYTES;
    slot->at = slot->is_heap ? calloc(1, (size_t)n) : slot->room;
    if (!slot->at) abort();
    return slot->at;
}

/* Uninitialised memory gets a pattern. */
void interp_poison(void *at, int64_t n_bytes) { memset(at, POISON, (size_t)n_bytes); }

/* Arrays ------------------------------------------------------------------------------------------------------- */

int64_t interp_count(const Type *array, const Array *a) {
    int64_t n = 1;
    for (int d = 0; d < array->rank; d++) n *= a->ext[d];
    return n;
}

int64_t interp_bytes(const Type *array, const Array *a) {
    return interp_count(array, a) * type_size_bytes(array->elem);
}

static _Noreturn void no_memory(Frame *f, const Type *array, const int64_t *ext, Span span) {
    char text[FAILURE_BYTES];
    const FailedArray a = {.shape = interp_shape_text(f, array, ext), .rank = array->rank, .extents = ext};
    interp_fail(f, span, "%s", failure_memory(text, &a, type_size_bytes(array->elem)));
}

Array interp_array_new(Frame *f, const Type *array, const int64_t *ext, Span span) {
    Array a = {0};
    int64_t n_bytes = type_size_bytes(array->elem);
    bool empty = false, overflow = false;
    for (int d = 0; d < array->rank; d++) {
        a.ext[d] = ext[d];
        if (ext[d] < 0)
            interp_fail(f, span, FAILURE_EXTENT, interp_shape_text(f, array, ext));
        empty |= ext[d] == 0;
    }
    for (int d = 0; d < array->rank && !empty; d++) overflow |= __builtin_mul_overflow(n_bytes, ext[d], &n_bytes);
    if (overflow) no_memory(f, array, ext, span);
    if (empty) n_bytes = 0;
    if (n_bytes > most_bytes) interp_unsupported(f, span, "this makes an array of %lld bytes", (long long)n_bytes);
    a.data = malloc((size_t)n_bytes + 1);
    if (!a.data) interp_unsupported(f, span, "there is no memory for %lld bytes", (long long)n_bytes);
    return a;
}

Array interp_array_copy(Frame *f, const Type *array, const Array *a, Span span) {
    Array copy = interp_array_new(f, array, a->ext, span);
    memcpy(copy.data, a->data, (size_t)interp_bytes(array, a));
    return copy;
}

void interp_array_free(Array *a) {
    free(a->data);
    a->data = NULL;
}
