/* describe.c -- a declaration as one line of KDSL, and the comment above it. */
#include <ctype.h>
#include <string.h>

#include "lsp/internal.h"

static void add_type(const Analysis *a, const Symbol *sym, Buf *out) {
    const Type *t = sym->type;
    Compiler *c = (Compiler *)&a->c;
    if (!t || t->kind == TY_ERROR) return;
    if (t->kind != TY_ARRAY) {
        buf_puts(out, type_name(c, t));
        return;
    }
    buf_printf(out, "[%s;", type_name(c, t->elem));
    for (int d = 0; d < t->rank; d++) {
        const Dim *x = &sym->dims[d];
        buf_puts(out, d ? ", " : " ");
        if (x->kind == DIM_CONST) buf_printf(out, "%lld", (long long)x->value);
        else buf_puts(out, x->kind == DIM_UNKNOWN ? "_" : size_text(&c->arena, x->sym, x->value));
    }
    buf_putc(out, ']');
}

static void add_const(const Const *v, const Type *t, Buf *out) {
    switch (v->kind) {
    case CONST_NONE: return;
    case CONST_INT:
        if (t->is_signed) buf_printf(out, "%lld", (long long)v->i);
        else buf_printf(out, "%llu", (unsigned long long)v->i);
        return;
    case CONST_FLOAT: buf_printf(out, "%.9g", v->f); return;
    case CONST_BOOL: buf_puts(out, v->i ? "true" : "false"); return;
    case CONST_STR: buf_putc(out, '"'); buf_add(out, v->s.at, v->s.n); buf_putc(out, '"'); return;
    }
}

/* The first elements, in the order of memory. */
static void add_elements(const ConstArray *a, Buf *out) {
    enum { MOST_SHOWN = 8 };
    for (int64_t i = 0; i < a->n && i < MOST_SHOWN; i++) {
        buf_puts(out, i ? ", " : " = ");
        add_const(&a->at[i], a->sym->type->elem, out);
    }
    if (a->n > MOST_SHOWN) buf_puts(out, ", ...");
}

static void add_value(const Symbol *sym, Buf *out) {
    if (sym->table) add_elements(sym->table, out);
    if (sym->konst.kind == CONST_NONE) return;
    buf_puts(out, " = ");
    add_const(&sym->konst, sym->type, out);
}

/* The text between two places, with one space for each gap. */
static void add_squeezed(const Analysis *a, Span span, Buf *out) {
    Place at = source_place((SourceMap *)&a->c.sources, span.lo);
    bool gap = false, any = false;
    for (uint32_t i = span.lo; at.file && i < span.hi && i < at.file->base + at.file->n; i++) {
        char c = at.file->text[i - at.file->base];
        if (isspace((unsigned char)c)) {
            gap = any;
            continue;
        }
        if (gap) buf_putc(out, ' ');
        buf_putc(out, c);
        gap = false;
        any = true;
    }
}

void describe_item(const Analysis *a, const Item *item, Buf *out) {
    Span span = {item->span.lo < item->name_span.lo ? item->span.lo : item->name_span.lo, item->span.hi};
    bool is_function = item->kind == ITEM_FN || item->kind == ITEM_KERNEL;
    if (is_function && item->fn.body) span.hi = item->fn.body->span.lo;
    add_squeezed(a, span, out);
}

static const char *mode_text(RefMode mode) {
    switch (mode) {
    case REF_NONE: return "";
    case REF_IN: return "&";
    case REF_MUT: return "&mut ";
    case REF_OUT: return "&out ";
    case REF_SCRATCH: return "&scratch ";
    case REF__COUNT: break;
    }
    return "";
}

static const char *word_of(const Symbol *sym) {
    switch (sym->kind) {
    case SYM_LOCAL: return sym->is_shared ? "shared " : sym->is_mutable ? "var " : sym->keyword.hi ? "let " : "for ";
    case SYM_CONST: return "const ";
    case SYM_DOMAIN: return "over ";
    case SYM_SIZE: return "extent ";
    case SYM_MODULE: return "import ";
    case SYM_PARAM:
    case SYM_FN:
    case SYM_STRUCT:
    case SYM_TYPE: return "";
    }
    return "";
}

void describe_symbol(const Analysis *a, const Symbol *sym, Buf *out) {
    if ((sym->kind == SYM_FN || sym->kind == SYM_STRUCT) && sym->item) {
        describe_item(a, sym->item, out);
        return;
    }
    buf_printf(out, "%s%s", word_of(sym), sym->name);
    if (sym->kind == SYM_MODULE) return;
    buf_printf(out, ": %s", mode_text(sym->mode));
    add_type(a, sym, out);
    add_value(sym, out);
}

/* The lines before the item that begin with //, without a gap. */
const char *item_comment(const Analysis *a, const Item *item, Buf *out) {
    const Source *of = source_place((SourceMap *)&a->c.sources, item->name_span.lo).file;
    if (!of) return "";
    uint32_t at = item->name_span.lo - of->base;
    int first;
    while (at && of->text[at - 1] != '\n') at--;
    int line = source_place((SourceMap *)&a->c.sources, of->base + at).line, n;
    for (first = line; first > 1; first--) {
        const char *text = source_line(of, first - 1, &n);
        while (n && isspace((unsigned char)*text)) text++, n--;
        if (n < 2 || text[0] != '/' || text[1] != '/') break;
    }
    for (int i = first; i < line; i++) {
        const char *text = source_line(of, i, &n);
        while (n && (isspace((unsigned char)*text) || *text == '/')) text++, n--;
        buf_add(out, text, (size_t)n);
        buf_putc(out, '\n');
    }
    return out->n ? out->at : "";
}

const Item *item_around(const Analysis *a, uint32_t offset) {
    offset += a->source->base;
    for (int i = 0; i < a->module->items.n; i++) {
        const Item *item = a->module->items.at[i];
        if (offset >= item->span.lo && offset <= item->span.hi) return item;
    }
    return NULL;
}
