/* type.c -- the table of scalar types, interned array types, and which conversions keep every value. */
#include <string.h>

#include "sema/check.h"

#define INT(k, text, nbits, sgn) [k] = {.kind = k, .name = text, .bits = nbits, .is_int = true, .is_signed = sgn}
#define FLOAT(k, text, nbits) [k] = {.kind = k, .name = text, .bits = nbits, .is_signed = true, .is_float = true}

static const Type scalars[TY__COUNT] = {
    [TY_ERROR] = {.kind = TY_ERROR, .name = "?"},
    [TY_VOID] = {.kind = TY_VOID, .name = "nothing"},
    [TY_BOOL] = {.kind = TY_BOOL, .name = "bool", .bits = 1},
    INT(TY_I8, "i8", 8, true),
    INT(TY_I16, "i16", 16, true),
    INT(TY_I32, "i32", 32, true),
    INT(TY_I64, "i64", 64, true),
    INT(TY_U8, "u8", 8, false),
    INT(TY_U16, "u16", 16, false),
    INT(TY_U32, "u32", 32, false),
    INT(TY_U64, "u64", 64, false),
    INT(TY_INDEX, "index", 64, true),
    FLOAT(TY_F16, "f16", 16),
    FLOAT(TY_BF16, "bf16", 16),
    FLOAT(TY_F32, "f32", 32),
    FLOAT(TY_F64, "f64", 64),
    [TY_STR] = {.kind = TY_STR, .name = "str", .bits = 64},
    INT(TY_INT_LITERAL, "an integer literal", 64, true),
    FLOAT(TY_FLOAT_LITERAL, "a float literal", 64),
};

enum { N_WIDTHS = 4 };
static const int widths[N_WIDTHS] = {2, 3, 4, 8};

struct Types {
    Arena *arena;
    Type scalar[TY__COUNT];
    Name name[TY__COUNT];                 /* NULL: not a name a program can write */
    Type vector[TY__COUNT][N_WIDTHS];     /* kind TY_ERROR: there is none */
    Name vector_name[TY__COUNT][N_WIDTHS];
};

static void make_vectors(Compiler *c, Types *t, TypeKind kind) {
    for (int i = 0; i < N_WIDTHS; i++) {
        int64_t room = type_size_bytes(&t->scalar[kind]) * (widths[i] == 3 ? 4 : widths[i]);
        const char *name = arena_printf(&c->arena, "%sx%d", scalars[kind].name, widths[i]);
        t->vector_name[kind][i] = name_of(&c->names, name);
        t->vector[kind][i] = (Type){.kind = TY_VECTOR, .elem = &t->scalar[kind], .width = widths[i],
                                    .name = t->vector_name[kind][i], .size_bytes = room, .align_bytes = room};
    }
}

Types *types_new(Compiler *c) {
    Types *t = arena_new(&c->arena, Types);
    t->arena = &c->arena;
    for (int k = 0; k < TY__COUNT; k++) {
        t->scalar[k] = scalars[k];
        t->scalar[k].kind = (TypeKind)k;
        if (k >= TY_BOOL && k <= TY_STR) t->name[k] = name_of(&c->names, scalars[k].name);
    }
    for (int k = TY_I8; k <= TY_F64; k++)
        if (k != TY_INDEX) make_vectors(c, t, (TypeKind)k);
    return t;
}

Type *type_scalar(Types *t, TypeKind kind) { return &t->scalar[kind]; }

Type *type_array(Types *t, Type *elem, int rank) {
    Type **slot = &elem->array_of[rank];
    if (!*slot) {
        *slot = arena_new(t->arena, Type);
        **slot = (Type){.kind = TY_ARRAY, .elem = elem, .rank = rank};
    }
    return *slot;
}

enum { MAX_FIXED_ELEMENTS = 1 << 20 };

static Type *fixed_new(Compiler *c, Type *elem, int rank, const int64_t *extent) {
    Type *t = arena_new(&c->arena, Type);
    *t = (Type){.kind = TY_FIXED, .elem = elem, .rank = rank, .next = elem->fixed_of};
    t->align_bytes = type_align_bytes(elem);
    t->depth = elem->depth;
    t->has_text = type_has_text(elem);
    t->size_bytes = type_size_bytes(elem);
    const char *name = arena_printf(&c->arena, "[%s; ", elem->name);
    for (int d = 0; d < rank; d++) {
        t->extent[d] = extent[d];
        t->size_bytes *= extent[d];
        name = arena_printf(&c->arena, "%s%s%lld", name, d ? ", " : "", (long long)extent[d]);
    }
    t->name = arena_printf(&c->arena, "%s]", name);
    return t;
}

Type *type_fixed(Compiler *c, Type *elem, int rank, const int64_t *extent) {
    int64_t n = 1;
    for (int d = 0; d < rank; d++) {
        if (extent[d] < 0 || (extent[d] && n > MAX_FIXED_ELEMENTS / extent[d])) return NULL;
        n *= extent[d];
    }
    for (Type *t = elem->fixed_of; t; t = t->next)
        if (t->rank == rank && !memcmp(t->extent, extent, sizeof *extent * (size_t)rank)) return t;
    return elem->fixed_of = fixed_new(c, elem, rank, extent);
}

Type *type_find(Types *t, Name name) {
    for (int k = TY_BOOL; k <= TY_STR; k++)
        if (t->name[k] == name) return &t->scalar[k];
    for (int k = TY_I8; k <= TY_F64; k++)
        for (int i = 0; i < N_WIDTHS; i++)
            if (t->vector_name[k][i] == name) return &t->vector[k][i];
    return NULL;
}

Type *type_vector(Types *t, Type *elem, int width) {
    for (int i = 0; i < N_WIDTHS; i++)
        if (widths[i] == width && t->vector[elem->kind][i].kind == TY_VECTOR) return &t->vector[elem->kind][i];
    return NULL;
}

const char *type_name(Compiler *c, const Type *t) {
    if (t->kind != TY_ARRAY) return t->name;
    static const char *const holes[MAX_RANK + 1] = {"", "_", "_, _", "_, _, _", "_, _, _, _"};
    return arena_printf(&c->arena, "[%s; %s]", t->elem->name, holes[t->rank]);
}

int64_t type_size_bytes(const Type *t) {
    if (type_is_parts(t) || t->kind == TY_FIXED) return t->size_bytes;
    if (t->kind == TY_ARRAY) return 8 + 8 * t->rank; /* of its descriptor, as a field of a struct that owns it */
    return t->bits <= 8 ? 1 : t->bits / 8;
}

int64_t type_align_bytes(const Type *t) {
    if (t->kind == TY_ARRAY) return 8;
    return type_is_parts(t) || t->kind == TY_FIXED ? t->align_bytes : type_size_bytes(t);
}

int float_mantissa_bits(const Type *t) {
    if (t->kind == TY_BF16) return 8;
    return t->bits == 16 ? 11 : t->bits == 32 ? 24 : 53;
}

bool type_widens(const Type *from, const Type *to) {
    if (from == to) return true;
    if (from->is_int && to->is_int) {
        if (from->is_signed == to->is_signed) return from->bits <= to->bits;
        return to->is_signed && from->bits < to->bits;
    }
    if (from->is_int && to->is_float) return from->bits - (from->is_signed ? 1 : 0) <= float_mantissa_bits(to);
    if (from->is_float && to->is_float)
        return float_mantissa_bits(from) <= float_mantissa_bits(to) && from->bits < to->bits;
    return false;
}
