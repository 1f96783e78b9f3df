/* complete.c -- completion: members after a dot, else what can be named here; and the signature of the call around the
 * cursor, both from the text before it and the names of the last text without syntax errors. */
#include <ctype.h>
#include <string.h>

#include "lexer/lexer.h"
#include "lsp/internal.h"

/* Of the protocol: CompletionItemKind. */
enum { ITEM_IS_METHOD = 2, ITEM_IS_FUNCTION = 3, ITEM_IS_FIELD = 5, ITEM_IS_VARIABLE = 6, ITEM_IS_MODULE = 9,
       ITEM_IS_KEYWORD = 14, ITEM_IS_CONSTANT = 21, ITEM_IS_STRUCT = 22, ITEM_IS_TYPE = 25 };

static const char *const builtins[] = {
#define BUILTIN(id, name, ...) name,
#include "sema/builtin.def"
#undef BUILTIN
};

typedef struct Offers {
    const Analysis *a;
    struct json_object *list, *seen;
} Offers;

static void offer(Offers *o, const char *name, int kind, const char *detail) {
    if (!isalpha((unsigned char)*name) && *name != '_') return; /* an internal token of the parser */
    if (json_object_object_get(o->seen, name)) return;
    json_add_true(o->seen, name);
    struct json_object *item = json_object_new_object();
    json_add_text(item, "label", name);
    json_add_number(item, "kind", kind);
    if (detail && *detail) json_add_text(item, "detail", detail);
    json_object_array_add(o->list, item);
}

static int kind_of(const Symbol *sym) {
    switch (sym->kind) {
    case SYM_LOCAL:
    case SYM_PARAM:
    case SYM_SIZE:
    case SYM_DOMAIN: return ITEM_IS_VARIABLE;
    case SYM_CONST: return ITEM_IS_CONSTANT;
    case SYM_FN: return ITEM_IS_FUNCTION;
    case SYM_MODULE: return ITEM_IS_MODULE;
    case SYM_STRUCT: return ITEM_IS_STRUCT;
    case SYM_TYPE: return ITEM_IS_TYPE;
    }
    return ITEM_IS_VARIABLE;
}

static void offer_symbol(Offers *o, const Symbol *sym) {
    Buf text = {0};
    if (strchr(sym->name, '$') || !strcmp(sym->name, "_")) return;
    describe_symbol(o->a, sym, &text);
    offer(o, sym->name, kind_of(sym), text.at);
    buf_free(&text);
}

/* Members --------------------------------------------------------------------------------------------------------- */

static void offer_fields(Offers *o, const Type *t) {
    for (int i = 0; t->kind == TY_STRUCT && i < t->n_fields; i++)
        offer(o, t->fields[i].name, ITEM_IS_FIELD, type_name((Compiler *)&o->a->c, t->fields[i].type));
    static const char *const parts[] = {"x", "y", "z", "w"};
    for (int i = 0; t->kind == TY_VECTOR && i < t->width && i < 4; i++)
        offer(o, parts[i], ITEM_IS_FIELD, t->elem->name);
    if (t->kind == TY_ARRAY) offer(o, "at", ITEM_IS_METHOD, "the element, or zero outside the array");
}

static bool is_named(const Symbol *sym, const char *text, size_t n) {
    return strlen(sym->name) == n && !memcmp(sym->name, text, n);
}

/* What is before the dot: the nearest name there, of an array its elements. */
static void offer_members(Offers *o, const char *text, size_t dot, uint32_t offset) {
    size_t end = dot, begin;
    bool is_element = end && text[end - 1] == ']';
    for (int open = 0; end && (open || text[end - 1] == ']'); end--)
        open += (text[end - 1] == ']') - (text[end - 1] == '[');
    for (begin = end; begin && (isalnum((unsigned char)text[begin - 1]) || text[begin - 1] == '_');) begin--;
    const Symbol *found = NULL;
    for (int i = 0; i < o->a->mentions.n; i++) {
        const Mention *m = &o->a->mentions.at[i];
        bool is_before = m->at.lo <= offset + o->a->source->base || !found;
        if (m->sym && is_before && is_named(m->sym, text + begin, end - begin)) found = m->sym;
    }
    for (int i = 0; !found && i < o->a->module->symbols.n; i++) {
        const Symbol *sym = o->a->module->symbols.at[i];
        if (is_named(sym, text + begin, end - begin)) found = sym;
    }
    if (!found) return;
    const Module *module = found->kind == SYM_MODULE && found->item ? found->item->import.module : NULL;
    for (int i = 0; module && i < module->symbols.n; i++)
        if (module->symbols.at[i]->kind != SYM_MODULE) offer_symbol(o, module->symbols.at[i]);
    const Type *t = found->type;
    if (t && t->kind == TY_ARRAY && is_element) t = t->elem;
    if (t && !module) offer_fields(o, t);
}

/* Names ----------------------------------------------------------------------------------------------------------- */

static void offer_names(Offers *o, uint32_t offset) {
    const Item *here = item_around(o->a, offset);
    uint32_t at = offset + o->a->source->base;
    for (int i = o->a->mentions.n - 1; here && i >= 0; i--) { /* the nearest declaration of a name first */
        const Mention *m = &o->a->mentions.at[i];
        bool is_declaration = m->at.lo == m->declared.lo && m->at.lo >= here->span.lo && m->at.lo < at;
        if (is_declaration && m->sym && m->sym->kind != SYM_FN && m->sym->kind != SYM_STRUCT) offer_symbol(o, m->sym);
    }
    for (int i = 0; i < o->a->module->symbols.n; i++) offer_symbol(o, o->a->module->symbols.at[i]);
    for (size_t i = 0; i < sizeof builtins / sizeof *builtins; i++)
        offer(o, builtins[i], ITEM_IS_FUNCTION, "built-in function");
    for (int k = 0; k < TY_ARRAY; k++) {
        const Type *t = type_scalar(o->a->program->types, (TypeKind)k);
        if (t && t->name && t->kind != TY_ERROR && t->kind != TY_VOID) offer(o, t->name, ITEM_IS_TYPE, "");
    }
    for (int kind = 1; kind < TOK__COUNT; kind++)
        if (token_info[kind].class == TOKEN_WORD || token_info[kind].class == TOKEN_SOFT)
            offer(o, token_info[kind].spelling, ITEM_IS_KEYWORD, "");
}

struct json_object *lsp_completion(Server *s, struct json_object *params) {
    Document *d = document_of(s, params);
    const Analysis *a = d ? document_analysis(s, d) : NULL;
    Offers o = {a, json_object_new_array(), json_object_new_object()};
    if (a) {
        uint32_t at = document_offset(s, d, json_at(params, "position")), begin = at;
        const char *text = d->text.at;
        while (begin && (isalnum((unsigned char)text[begin - 1]) || text[begin - 1] == '_')) begin--;
        bool is_member = begin && text[begin - 1] == '.' && !(begin > 1 && text[begin - 2] == '.');
        uint32_t there = analysis_offset(d, a, at);
        if (is_member) offer_members(&o, text, begin - 1, there);
        else offer_names(&o, there);
    }
    json_object_put(o.seen);
    return o.list;
}

/* Signatures ------------------------------------------------------------------------------------------------------ */

/* The bracket of the call around `at`, and how many arguments are before; -1: there is none. */
static long call_around(const char *text, uint32_t at, int *n_before) {
    int open = 0;
    *n_before = 0;
    for (long i = (long)at - 1; i >= 0; i--) {
        char c = text[i];
        if (c == ')' || c == ']' || c == '}') open++;
        else if (c == ';' && !open) return -1;
        else if (c == ',' && !open) ++*n_before;
        else if ((c == '(' || c == '[' || c == '{') && open-- == 0) return c == '(' ? i : -1;
    }
    return -1;
}

static struct json_object *signature(const Analysis *a, const Item *item, int active) {
    struct json_object *o = json_object_new_object(), *list = json_object_new_array(), *one = json_object_new_object();
    struct json_object *params = json_object_new_array();
    Buf text = {0}, comment = {0};
    describe_item(a, item, &text);
    json_add_text(one, "label", text.at);
    if (*item_comment(a, item, &comment)) json_add_text(one, "documentation", comment.at);
    for (int i = 0; i < item->fn.params.n; i++) {
        struct json_object *p = json_object_new_object();
        const Param *param = &item->fn.params.at[i];
        int n;
        const char *at = analysis_text(a, (Span){param->span.lo, param->type->span.hi}, &n);
        json_object_object_add(p, "label", n ? json_object_new_string_len(at, n) : json_object_new_string(param->name));
        json_object_array_add(params, p);
    }
    json_object_object_add(one, "parameters", params);
    json_object_array_add(list, one);
    json_object_object_add(o, "signatures", list);
    json_add_number(o, "activeSignature", 0);
    json_add_number(o, "activeParameter", active);
    buf_free(&text);
    buf_free(&comment);
    return o;
}

struct json_object *lsp_signature_help(Server *s, struct json_object *params) {
    Document *d = document_of(s, params);
    const Analysis *a = d ? document_analysis(s, d) : NULL;
    if (!a) return NULL;
    int active;
    const char *text = d->text.at;
    long open = call_around(text, document_offset(s, d, json_at(params, "position")), &active), end = open;
    while (end > 0 && text[end - 1] == ' ') end--;
    long begin = end;
    while (begin > 0 && (isalnum((unsigned char)text[begin - 1]) || text[begin - 1] == '_')) begin--;
    if (open < 0 || begin == end) return NULL;
    size_t n = (size_t)(end - begin);
    bool is_member = begin > 0 && text[begin - 1] == '.';
    for (int i = 0; i < a->module->symbols.n; i++) {
        const Symbol *sym = a->module->symbols.at[i];
        const Module *m = is_member && sym->kind == SYM_MODULE && sym->item ? sym->item->import.module : NULL;
        for (int k = 0; m && k < m->symbols.n; k++) {
            const Symbol *one = m->symbols.at[k];
            if (one->kind == SYM_FN && one->item && is_named(one, text + begin, n))
                return signature(a, one->item, active);
        }
        if (!is_member && sym->kind == SYM_FN && sym->item && is_named(sym, text + begin, n))
            return signature(a, sym->item, active);
    }
    return NULL;
}
