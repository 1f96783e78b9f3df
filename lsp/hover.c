/* hover.c -- what the compiler has decided about a name, an access or a launch: type and mode, what a reference moves,
 * and whether a bounds check is left; beside each launch, what it moves. */
#include <string.h>

#include "lsp/internal.h"

static bool is_around(Span span, uint32_t at) { return at >= span.lo && at <= span.hi; }

/* Transfers ------------------------------------------------------------------------------------------------------- */

static bool is_kernel_of(const TransferNote *n, const Func *f) {
    return n->launch && f && n->launch->offload.call->kind == EXPR_CALL && n->launch->offload.call->call.info &&
           n->launch->offload.call->call.info->func == f;
}

static void add_moves(const TransferNote *n, Buf *out) {
    const char *how = !strcmp(n->moves, "nothing") ? "moves nothing" : n->moves;
    buf_printf(out, "- line %d, `%s%s%s`: %s (%s bytes)%s%s\n", n->line, n->mode, n->mode[1] ? " " : "", n->array, how,
               n->bytes ? n->bytes : "?", n->why && *n->why ? ": " : "", n->why ? n->why : "");
}

static Name array_of(const TransferNote *n, const Func *f, const Symbol *param) {
    const ArgList *args = &n->launch->offload.call->call.args;
    for (int i = 0; i < args->n && i < f->params.n; i++) {
        const Expr *e = args->at[i].value;
        const Symbol *root = e->kind == EXPR_NAME ? e->name.sym : e->kind == EXPR_INDEX ? expr_root(e) : NULL;
        if (f->params.at[i]->span.lo == param->span.lo && root) return root->name;
    }
    return NULL;
}

/* Of a parameter: the launches of its kernel; of another array: the launches that take it. */
static void add_transfers(const Analysis *a, const Symbol *sym, Buf *out) {
    if (!sym->type || sym->type->kind != TY_ARRAY) return;
    const TransferNotes *notes = analysis_notes(a);
    int n = 0;
    for (int i = 0; i < notes->n && n < 8; i++) {
        const TransferNote *note = &notes->at[i];
        bool is_param = sym->kind == SYM_PARAM && is_kernel_of(note, sym->func);
        Name array = is_param ? array_of(note, sym->func, sym) : sym->name;
        bool is_its = note->launch && array && !note->is_checks && !strncmp(note->array, array, strlen(array)) &&
                      (is_param || (note->function && sym->func && !strcmp(note->function, sym->func->name)));
        if (!is_its) continue;
        if (!n++) buf_puts(out, "\n\nLaunches:\n\n");
        add_moves(note, out);
    }
}

/* Accesses -------------------------------------------------------------------------------------------------------- */

static const Expr *element_at(const Analysis *a, uint32_t at) {
    const Expr *inner = NULL;
    for (int i = 0; i < a->elements.n; i++) {
        const Expr *e = a->elements.at[i];
        if (is_around(e->span, at) && (!inner || e->span.hi - e->span.lo <= inner->span.hi - inner->span.lo)) inner = e;
    }
    return inner;
}

static void add_check(const Analysis *a, const Expr *e, Buf *out) {
    int site = e->index.site;
    if (a->c.diags.n_errors || !site || expr_is_slice(e)) return;
    const CheckSite *s = site > 0 && site <= a->program->sites.n ? &a->program->sites.at[site - 1] : NULL;
    if (!s || s->is_needless) buf_puts(out, "\n\nThe index is proven to be in bounds: no check.");
    else buf_printf(out, "\n\nThe index is checked at run time: %s.",
                    s->why ? s->why : "it is not proven to be in bounds");
}

/* Hover ----------------------------------------------------------------------------------------------------------- */

static struct json_object *markdown(const char *text) {
    struct json_object *o = json_object_new_object();
    json_add_text(o, "kind", "markdown");
    json_add_text(o, "value", text);
    return o;
}

static struct json_object *hover_object(const Server *s, const Analysis *a, Span span, const Buf *text) {
    struct json_object *o = json_object_new_object();
    json_object_object_add(o, "contents", markdown(text->at));
    json_object_object_add(o, "range", range_object(s, a, span));
    return o;
}

static void describe_mention(const Analysis *a, const Mention *m, uint32_t at, Buf *out) {
    buf_puts(out, "```kdsl\n");
    int n;
    const char *name = analysis_text(a, m->at, &n);
    if (m->sym) describe_symbol(a, m->sym, out);
    else if (m->type) buf_printf(out, "%.*s: %s", n, name, type_name((Compiler *)&a->c, m->type));
    else buf_add(out, name, (size_t)n);
    buf_puts(out, "\n```");
    if (!m->sym) return;
    Buf comment = {0};
    if (m->sym->item && *item_comment(a, m->sym->item, &comment)) buf_printf(out, "\n\n%s", comment.at);
    buf_free(&comment);
    add_transfers(a, m->sym, out);
    const Expr *e = element_at(a, at), *base = e ? e->index.base : NULL;
    if (base && base->kind == EXPR_NAME && base->name.sym == m->sym && is_around(base->span, at))
        add_check(a, e, out);
}

struct json_object *lsp_hover(Server *s, struct json_object *params) {
    Document *d = document_of(s, params);
    const Analysis *a = d ? document_analysis(s, d) : NULL;
    if (!a) return NULL;
    uint32_t offset = analysis_offset(d, a, document_offset(s, d, json_at(params, "position")));
    const Mention *m = mention_at(a, offset);
    if (!m) return NULL;
    Buf text = {0};
    describe_mention(a, m, offset + a->source->base, &text);
    struct json_object *o = hover_object(s, a, m->at, &text);
    buf_free(&text);
    return o;
}

/* Hints beside launches ------------------------------------------------------------------------------------------- */

static const char *arrow(const char *moves) {
    if (!strcmp(moves, "to")) return "in ";
    if (!strcmp(moves, "from")) return "out ";
    return !strcmp(moves, "tofrom") ? "in and out " : NULL;
}

static struct json_object *hint(const Server *s, const Analysis *a, const Expr *launch, const TransferNotes *notes) {
    Buf label = {0}, tip = {0};
    for (int i = 0; i < notes->n; i++) {
        const TransferNote *n = &notes->at[i];
        if (n->launch != launch || n->is_checks || n->is_value) continue;
        const char *way = arrow(n->moves);
        if (way) buf_printf(&label, "%s%s%s", label.n ? ", " : "", way, n->array);
        add_moves(n, &tip);
    }
    struct json_object *o = json_object_new_object();
    json_object_object_add(o, "position", position_object(s, &a->c.sources, a->source, launch->span.hi));
    json_add_text(o, "label", label.n ? label.at : "moves nothing");
    if (tip.n) json_object_object_add(o, "tooltip", markdown(tip.at));
    json_add_true(o, "paddingLeft");
    buf_free(&label);
    buf_free(&tip);
    return o;
}

struct json_object *lsp_inlay_hint(Server *s, struct json_object *params) {
    struct json_object *list = json_object_new_array();
    Document *d = document_of(s, params);
    const Analysis *a = d ? document_analysis(s, d) : NULL;
    if (!a || a != d->now || a->c.diags.n_errors) return list;
    uint32_t lo = document_offset(s, d, json_at(params, "range.start")) + a->source->base;
    uint32_t hi = document_offset(s, d, json_at(params, "range.end")) + a->source->base;
    const TransferNotes *notes = analysis_notes(a);
    for (int i = 0; i < a->launches.n; i++) {
        const Expr *launch = a->launches.at[i];
        if (launch->span.hi >= lo && launch->span.hi <= hi) json_object_array_add(list, hint(s, a, launch, notes));
    }
    return list;
}
