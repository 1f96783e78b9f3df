/* type.h -- types, interned: the same type is the same pointer. No LLVM here. */
#ifndef KDSL_TYPE_H
#define KDSL_TYPE_H

#include "base/base.h"

enum { MAX_RANK = 4 };

typedef enum TypeKind {
    TY_ERROR, /* unknown: silences what follows */
    TY_VOID,
    TY_BOOL,
    TY_I8, TY_I16, TY_I32, TY_I64,
    TY_U8, TY_U16, TY_U32, TY_U64,
    TY_INDEX, /* signed 64-bit extent or position */
    TY_F16, TY_BF16, TY_F32, TY_F64,
    TY_STR,
    TY_INT_LITERAL,   /* untyped: always a known constant; takes the type it needs, else i32 */
    TY_FLOAT_LITERAL, /* the same; else f64, and f32 beside an f32 */
    TY_ARRAY,
    TY_VECTOR, /* f32x4: 2, 3, 4 or 8 numbers side by side */
    TY_STRUCT, /* one per declaration */
    TY_FIXED,  /* a field [f32; 3, 3]: its elements are part of the struct. As a value the field is a TY_ARRAY */
    TY__COUNT
} TypeKind;

typedef struct Type Type;

typedef struct TypeField {
    Name name;
    Span span;
    Type *type;
    int64_t offset; /* in bytes; C's layout: each field at the next multiple of its alignment */
} TypeField;

struct Type {
    TypeKind kind;
    /* TY_ARRAY: row-major, contiguous, owned on the heap unless it is a reference. TY_VECTOR: its components. */
    Type *elem;
    int rank;
    int width;          /* TY_VECTOR: 2, 3, 4, 8; 3 takes the room of 4 */
    TypeField *fields;  /* TY_STRUCT: in order of declaration */
    int n_fields;
    bool owns;          /* TY_STRUCT: a field is an array on the heap, here or further in */
    bool is_handle;     /* TY_STRUCT: `extern "C" struct`: a pointer of C, as the only field, which has no name */
    bool has_text;      /* TY_STRUCT, TY_FIXED: a field is a str, here or further in: it stays on the host */
    int64_t size_bytes, align_bytes; /* TY_VECTOR, TY_STRUCT, TY_FIXED */
    int depth;          /* TY_STRUCT: 1 + deepest field */
    const struct Instance *instance; /* TY_STRUCT: made of a generic one (sema/check.h), or NULL */
    int64_t extent[MAX_RANK]; /* TY_FIXED */
    Type *fixed_of, *next;    /* type.c: TY_FIXED with these elements; the next of them */
    Type *array_of[MAX_RANK + 1]; /* type.c: the array types with these elements that exist so far */
    /* Facts of scalars, from the table in type.c. */
    const char *name;
    int bits;       /* 1 for bool; 8 .. 64 */
    bool is_int, is_signed, is_float;
};

typedef struct Types Types; /* the interning table; lives in the compilation's arena */
Types *types_new(Compiler *c);
Type *type_scalar(Types *t, TypeKind kind);       /* every kind but TY_ARRAY */
Type *type_array(Types *t, Type *elem, int rank); /* rank 1 .. MAX_RANK */
Type *type_fixed(Compiler *c, Type *elem, int rank, const int64_t *extent); /* NULL: too large */
Type *type_find(Types *t, Name name);             /* "f32", "f32x4"; NULL when it names neither */
const char *type_name(Compiler *c, const Type *t);/* "f32", "[f32; _, _]" */
Type *type_vector(Types *t, Type *elem, int width); /* NULL: there is none */
int64_t type_size_bytes(const Type *t);           /* of an element of an array: all but arrays; bool is 1 */
int64_t type_align_bytes(const Type *t);          /* the same */
static inline bool type_is_parts(const Type *t) { return t->kind == TY_VECTOR || t->kind == TY_STRUCT; }
/* What decides how an operator works: the type itself or, of a vector, its elements'. */
static inline const Type *type_of_part(const Type *t) { return t->kind == TY_VECTOR ? t->elem : t; }

/* An integer type that has a size: no literal; NULL is none. */
static inline bool type_is_integer(const Type *t) { return t && t->kind >= TY_I8 && t->kind <= TY_INDEX; }
static inline bool type_is_number(const Type *t) { return t->is_int || t->is_float; }
static inline bool type_is_half(const Type *t) { return t->kind == TY_F16 || t->kind == TY_BF16; }
static inline bool type_is_literal(const Type *t) { return t->kind == TY_INT_LITERAL || t->kind == TY_FLOAT_LITERAL; }
/* Every value of `from` is a value of `to` (index and i64: in both directions). */
static inline bool type_has_text(const Type *t) { return t->kind == TY_STR || t->has_text; }
bool type_widens(const Type *from, const Type *to);
const char *type_layout(Compiler *c, const Type *t); /* shown.c: for runtime/value.h */

#endif
