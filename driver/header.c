/* header.c -- --emit=header: the C declarations of what a program exports. irgen/lang/border.c spells the same ABI. */
#include <string.h>

#include "driver/output.h"

static const char *c_scalar(const Type *t) {
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
    default: return "void"; /* sema lets no other type out */
    }
}

static void declare(Buf *out, const char *type, const char *name) {
    bool pointer = type[strlen(type) - 1] == '*';
    buf_printf(out, "%s%s%s", type, pointer ? "" : " ", name);
}

static void param(Buf *out, const Symbol *p) {
    if (p->mode == REF_NONE) {
        declare(out, c_scalar(p->type), p->name);
        return;
    }
    const char *elem = c_scalar(p->type->kind == TY_ARRAY ? p->type->elem : p->type);
    bool pointer = elem[strlen(elem) - 1] == '*';
    buf_printf(out, "%s%s%s*%s", p->mode == REF_IN && !pointer ? "const " : "", elem, pointer ? "" : " ", p->name);
}

/* The declaration as it stands in the source, up to its body. */
static void source_text(Compiler *c, Buf *out, const Func *f) {
    Place p = source_place(&c->sources, f->item->span.lo);
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

static void function(Compiler *c, Buf *out, const Func *f) {
    int n = 0;
    buf_putc(out, '\n');
    source_text(c, out, f);
    buf_printf(out, "int32_t %s(", f->name);
    for (int i = 0; i < f->n_given; i++) {
        buf_puts(out, n++ ? ", " : "");
        param(out, f->params.at[i]);
    }
    for (int i = 0; i < f->border.n; i++) buf_printf(out, "%sint64_t %s", n++ ? ", " : "", f->border.at[i].name);
    if (f->result->kind != TY_VOID) {
        buf_puts(out, n++ ? ", " : "");
        declare(out, c_scalar(f->result), "*result");
    }
    buf_printf(out, "%s);\n", n ? "" : "void");
}

bool output_header(Compiler *c, const Program *p, const char *path) {
    Buf out = {0};
    buf_puts(&out, "/* Made by kdslc --emit=header. Every function returns 0, or the exit code with which a program\n"
                   " * would have ended (3: a check failed); kdsl_last_error() then says why. Each size is the extent of\n"
                   " * the arrays that the declaration above it names; arrays are row-major. One array may be passed\n"
                   " * twice only where both parameters are const. */\n"
                   "#pragma once\n"
                   "#include <stdbool.h>\n"
                   "#include <stdint.h>\n\n"
                   "#ifdef __cplusplus\nextern \"C\" {\n#endif\n\n"
                   "/* What the last call of this thread that failed had to say; \"\" after one that did not. */\n"
                   "const char *kdsl_last_error(void);\n");
    for (int i = 0; i < p->funcs.n; i++)
        if (p->funcs.at[i]->is_export) function(c, &out, p->funcs.at[i]);
    buf_puts(&out, "\n#ifdef __cplusplus\n}\n#endif\n");
    bool ok = output_text(c, path, out.at, out.n);
    buf_free(&out);
    return ok;
}
