/* header.c -- --emit=header: C declarations of the exported functions, and of the structs and vectors that they take.
 * irgen/lang/border.c and c_abi.c generate the same ABI. */
#include <ctype.h>
#include <string.h>

#include "driver/output.h"

typedef struct Header {
    Compiler *c;
    Buf out;
    Vec(const Type *) declared;
} Header;

/* Names ------------------------------------------------------------------------------------------------------------ */

/* Of C and C++, and not of KDSL. */
static bool is_keyword(const char *name) {
    static const char *const words[] = {
        "alignas", "alignof", "and", "and_eq", "asm", "auto", "bitand", "bitor", "case", "catch", "char", "class",
        "co_await", "co_return", "co_yield", "compl", "concept", "const_cast", "consteval", "constexpr", "constinit",
        "decltype", "default", "delete", "do", "double", "dynamic_cast", "enum", "explicit", "float", "friend",
        "goto", "inline", "int", "long", "mutable", "namespace", "new", "noexcept", "not", "not_eq", "nullptr",
        "operator", "or", "or_eq", "private", "protected", "public", "register", "reinterpret_cast", "requires",
        "restrict", "short", "signed", "sizeof", "static", "static_assert", "static_cast", "switch", "template",
        "this", "thread_local", "throw", "try", "typedef", "typeid", "typename", "typeof", "union", "unsigned",
        "using", "virtual", "void", "volatile", "wchar_t", "xor", "xor_eq", "result"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (!strcmp(name, words[i])) return true;
    return false;
}

/* geo.Pair<f32, i64> -> geo_Pair_f32_i64 */
static const char *c_name(Header *h, const char *name) {
    if (is_keyword(name)) return arena_printf(&h->c->arena, "%s_", name);
    char *made = arena_alloc(&h->c->arena, strlen(name) + 1);
    size_t n = 0;
    for (const char *at = name; *at; at++) {
        bool is_part = isalnum((unsigned char)*at) || *at == '_';
        if (is_part) made[n++] = *at;
        else if (n && made[n - 1] != '_') made[n++] = '_';
    }
    while (n && made[n - 1] == '_' && name[strlen(name) - 1] != '_') n--;
    made[n] = '\0';
    return made;
}

/* Types ------------------------------------------------------------------------------------------------------------ */

static const char *c_type(Header *h, const Type *t) {
    switch (t->kind) {
    case TY_BOOL: return "bool";
    case TY_I8: return "int8_t";
    case TY_I16: return "int16_t";
    case TY_I32: return "int32_t";
    case TY_I64:
    case TY_INDEX: return "int64_t";
    case TY_U8: return "uint8_t";
    case TY_U16: return "uint16_t";
    case TY_U32: return "uint32_t";
    case TY_U64: return "uint64_t";
    case TY_F32: return "float";
    case TY_F64: return "double";
    case TY_STR: return "const char *";
    case TY_VECTOR: return arena_printf(&h->c->arena, "kdsl_%s", t->name);
    case TY_STRUCT:
        return t->is_handle ? arena_printf(&h->c->arena, "struct %s *", c_name(h, t->name)) : c_name(h, t->name);
    case TY_FIXED: return c_type(h, t->elem);
    case TY_ERROR: case TY_VOID: case TY_F16: case TY_BF16: case TY_INT_LITERAL: case TY_FLOAT_LITERAL: case TY_ARRAY:
    case TY__COUNT: break; /* sema lets none of these out */
    }
    return "void";
}

static void declare(Buf *out, const char *type, const char *name) {
    bool pointer = type[strlen(type) - 1] == '*';
    buf_printf(out, "%s%s%s", type, pointer ? "" : " ", name);
}

/* Several headers may be included. They must agree. */
static void vector_type(Header *h, const Type *t) {
    static const char *const four[] = {"x", "y", "z", "w"};
    static const char *const eight[] = {"s0", "s1", "s2", "s3", "s4", "s5", "s6", "s7"};
    const char *const *part = t->width == 8 ? eight : four, *elem = c_type(h, t->elem);
    Buf *out = &h->out;
    buf_printf(out, "#ifndef KDSL_VECTOR_%s\n#define KDSL_VECTOR_%s\ntypedef struct kdsl_%s {\n", t->name, t->name,
               t->name);
    buf_printf(out, "    KDSL_ALIGNED(%lld) %s %s;\n    %s ", (long long)t->align_bytes, elem, part[0], elem);
    for (int i = 1; i < t->width; i++) buf_printf(out, "%s%s", i > 1 ? ", " : "", part[i]);
    buf_printf(out, ";\n} kdsl_%s;\n#endif\n", t->name);
}

static void struct_type(Header *h, const Type *t) {
    Buf *out = &h->out;
    const char *name = c_name(h, t->name);
    buf_printf(out, "#ifndef KDSL_STRUCT_%s\n#define KDSL_STRUCT_%s\ntypedef struct %s {\n", name, name, name);
    for (int i = 0; i < t->n_fields; i++) {
        const Type *of = t->fields[i].type;
        buf_puts(out, "    ");
        declare(out, c_type(h, of), c_name(h, t->fields[i].name));
        for (int d = 0; of->kind == TY_FIXED && d < of->rank; d++) buf_printf(out, "[%lld]", (long long)of->extent[d]);
        buf_puts(out, ";\n");
    }
    buf_printf(out, "} %s;\n#endif\nKDSL_ASSERT(sizeof(%s) == %lld, \"%s\");\n", name, name, (long long)t->size_bytes,
               name);
    for (int i = 0; i < t->n_fields; i++) {
        const char *field = c_name(h, t->fields[i].name);
        buf_printf(out, "KDSL_ASSERT(offsetof(%s, %s) == %lld, \"%s.%s\");\n", name, field,
                   (long long)t->fields[i].offset, name, field);
    }
}

/* After the types of its fields. */
static void need_type(Header *h, const Type *t) {
    if (t->kind == TY_ARRAY || t->kind == TY_FIXED) {
        need_type(h, t->elem);
        return;
    }
    if (!type_is_parts(t)) return;
    for (int i = 0; i < h->declared.n; i++)
        if (h->declared.at[i] == t) return;
    for (int i = 0; i < t->n_fields; i++) need_type(h, t->fields[i].type);
    vec_push(&h->c->arena, &h->declared, t);
    buf_putc(&h->out, '\n');
    if (t->kind == TY_VECTOR) vector_type(h, t);
    else if (t->is_handle) buf_printf(&h->out, "struct %s;\n", c_name(h, t->name));
    else struct_type(h, t);
}

static bool needs_types(const Program *p) {
    for (int i = 0; i < p->funcs.n; i++) {
        const Func *f = p->funcs.at[i];
        bool found = f->is_export && type_is_parts(f->result);
        for (int k = 0; f->is_export && k < f->n_given; k++) {
            const Type *t = f->params.at[k]->type;
            found |= type_is_parts(t->kind == TY_ARRAY ? t->elem : t);
        }
        if (found) return true;
    }
    return false;
}

static const char macros[] =
    "\n#include <stddef.h>\n"
    "#ifndef KDSL_ASSERT\n"
    "#ifdef __cplusplus\n"
    "#define KDSL_ASSERT static_assert\n"
    "#define KDSL_ALIGNED alignas\n"
    "#else\n"
    "#define KDSL_ASSERT _Static_assert\n"
    "#define KDSL_ALIGNED _Alignas\n"
    "#endif\n"
    "#endif\n";

static void types(Header *h, const Program *p) {
    if (!needs_types(p)) return;
    buf_puts(&h->out, macros);
    for (int i = 0; i < p->funcs.n; i++) {
        const Func *f = p->funcs.at[i];
        for (int k = 0; f->is_export && k < f->n_given; k++) need_type(h, f->params.at[k]->type);
        if (f->is_export) need_type(h, f->result);
    }
}

/* Functions -------------------------------------------------------------------------------------------------------- */

static void param(Header *h, const Symbol *p) {
    Buf *out = &h->out;
    const char *name = c_name(h, p->name);
    if (p->mode == REF_NONE) {
        declare(out, c_type(h, p->type), name);
        return;
    }
    const char *elem = c_type(h, p->type->kind == TY_ARRAY ? p->type->elem : p->type);
    bool pointer = elem[strlen(elem) - 1] == '*';
    buf_printf(out, "%s%s%s*%s", p->mode == REF_IN && !pointer ? "const " : "", elem, pointer ? "" : " ", name);
}

/* The declaration as in the source, up to its body. */
static void source_text(Header *h, const Func *f) {
    Buf *out = &h->out;
    Place p = source_place(&h->c->sources, f->item->span.lo);
    const char *at = p.file->text + (f->item->span.lo - p.file->base);
    size_t n = f->item->fn.body->span.lo - f->item->span.lo;
    while (n && (at[n - 1] == ' ' || at[n - 1] == '\n')) n--;
    buf_puts(out, "/* ");
    for (size_t i = 0; i < n; i++) {
        if (i && at[i - 1] == '*' && at[i] == '/') buf_putc(out, ' ');
        buf_putc(out, at[i]);
    }
    buf_puts(out, " */\n");
}

static void function(Header *h, const Func *f) {
    Buf *out = &h->out;
    int n = 0;
    buf_putc(out, '\n');
    source_text(h, f);
    buf_printf(out, "int32_t %s(", f->name);
    for (int i = 0; i < f->n_given; i++) {
        buf_puts(out, n++ ? ", " : "");
        param(h, f->params.at[i]);
    }
    for (int i = 0; i < f->border.n; i++)
        buf_printf(out, "%sint64_t %s", n++ ? ", " : "", c_name(h, f->border.at[i].name));
    if (f->result->kind != TY_VOID) {
        buf_puts(out, n++ ? ", " : "");
        declare(out, c_type(h, f->result), "*result");
    }
    buf_printf(out, "%s);\n", n ? "" : "void");
}

bool output_header(Compiler *c, const Program *p, const char *path) {
    Header h = {.c = c};
    buf_puts(&h.out, "/* Generated by kdslc --emit=header. Every function returns 0, or the exit code with which a\n"
                   " * program would have ended (3: a check failed); kdsl_last_error() then returns the message. Each\n"
                   " * size is the extent of the arrays that the declaration above it names; arrays are row-major.\n"
                   " * One array may be passed twice only where both parameters are const. */\n"
                   "#pragma once\n"
                   "#include <stdbool.h>\n"
                   "#include <stdint.h>\n");
    types(&h, p);
    buf_puts(&h.out, "\n#ifdef __cplusplus\nextern \"C\" {\n#endif\n\n"
                   "/* The message of the last call of this thread if it failed, else \"\". */\n"
                   "const char *kdsl_last_error(void);\n\n"
                   "/* Arrays that stay on the device from call to call. From kdsl_keep to kdsl_release the newest\n"
                   " * copy is there: kdsl_host copies it to the host, kdsl_changed to the device after the host has\n"
                   " * written it, kdsl_release to the host. Where the device uses the memory of the host, nothing is\n"
                   " * copied. 0, or 3 with the message in kdsl_last_error(). kdsl_device_pointer: where it is on the\n"
                   " * device, or NULL. */\n"
                   "int32_t kdsl_keep(const void *array, int64_t bytes);\n"
                   "int32_t kdsl_host(void *array);\n"
                   "int32_t kdsl_changed(const void *array);\n"
                   "int32_t kdsl_release(void *array);\n"
                   "void *kdsl_device_pointer(const void *array);\n");
    for (int i = 0; i < p->funcs.n; i++)
        if (p->funcs.at[i]->is_export) function(&h, p->funcs.at[i]);
    buf_puts(&h.out, "\n#ifdef __cplusplus\n}\n#endif\n");
    bool ok = output_text(c, path, h.out.at, h.out.n);
    buf_free(&h.out);
    return ok;
}
