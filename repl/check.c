/* check.c -- checks an input together with all declarations of the session: their texts are parsed and checked again
 * for each input, which takes less than a millisecond. A declaration that no longer compiles, such as a function whose
 * callee has changed, is excluded from the program (Decl.waits) until it compiles again. */
#include <string.h>

#include "driver/stdlib.h"
#include "irgen/irgen.h"
#include "repl/internal.h"

/* Sources ---------------------------------------------------------------------------------------------------------- */

typedef struct Parsed {
    Text *text;
    Source *source;
    Module *module;
} Parsed;

typedef struct Check {
    Session *s;
    Trial *t;
    List(Parsed) parsed;
    List(const char *) replaced; /* names that the input declares */
    List(Decl *) omitted;       /* declarations that do not compile, found so far */
} Check;

static Parsed *parsed_of(Check *k, Text *text) {
    for (int i = 0; i < k->parsed.n; i++)
        if (k->parsed.at[i].text == text) return &k->parsed.at[i];
    Parsed p = {text, source_add(&k->t->c.sources, text->path, text->at, text->n), NULL};
    list_push(&k->parsed, p);
    return &k->parsed.at[k->parsed.n - 1];
}

static Module *module_of(Check *k, Text *text) {
    Parsed *p = parsed_of(k, text);
    if (!p->module && p->source) p->module = parse_input(&k->t->c, p->source, NULL);
    return p->module;
}

static bool is_replaced(const Check *k, const char *name) {
    for (int i = 0; i < k->replaced.n; i++)
        if (!strcmp(k->replaced.at[i], name)) return true;
    return false;
}

static bool is_omitted(const Check *k, const Decl *d) {
    for (int i = 0; i < k->omitted.n; i++)
        if (k->omitted.at[i] == d) return true;
    return false;
}

static void add_declarations(Check *k) {
    for (int i = 0; i < k->s->decls.n; i++) {
        Decl *d = k->s->decls.at[i];
        if (is_replaced(k, d->name) || is_omitted(k, d)) continue;
        Module *m = module_of(k, d->text);
        if (m && d->item < m->items.n) vec_push(&k->t->c.arena, &k->t->module->items, m->items.at[d->item]);
    }
}

/* Variables -------------------------------------------------------------------------------------------------------- */

static bool is_unchanged(const Check *k, const Decl *old, const Item *item) {
    size_t n = item->span.hi - item->span.lo;
    return strlen(old->source) == n && !strncmp(old->source, k->t->own->text + (item->span.lo - k->t->own->base), n);
}

/* True if the input declares a struct again that the type uses, directly or through another struct. */
static bool type_has_changed(const Check *k, const char *type) {
    for (int i = 0; i < k->t->items.n; i++) {
        const Item *item = k->t->items.at[i];
        const Decl *old = decl_find(k->s, item->name);
        if (item->kind != ITEM_STRUCT || !old || old->kind != ITEM_STRUCT || is_unchanged(k, old, item)) continue;
        Closure c = closure_of(k->s, type);
        bool found = false;
        for (int n = 0; n < c.decls.n; n++) found |= c.decls.at[n] == old;
        closure_free(&c);
        if (found) return true;
    }
    return false;
}

static const char stale[] = "its type was declared again";

static Buf type_texts(Check *k) {
    Buf b = {0};
    for (int i = 0; i < k->t->n_kept; i++)
        buf_printf(&b, "var v: %s;\n", k->t->kept_of[i]->gone || k->t->kept[i].gone ? "i32" : k->t->kept_of[i]->type);
    return b;
}

static void add_variables(Check *k) {
    Trial *t = k->t;
    Compiler *c = &t->c;
    t->kept = arena_array(&c->arena, KeptVar, k->s->vars.n + 1);
    t->kept_of = arena_array(&c->arena, Var *, k->s->vars.n + 1);
    t->n_kept = 0;
    for (int i = 0; i < k->s->vars.n; i++) {
        Var *v = k->s->vars.at[i];
        if (is_replaced(k, v->name)) continue;
        uint32_t base = parsed_of(k, v->text)->source->base;
        const char *gone = v->gone ? v->gone : type_has_changed(k, v->type) ? stale : NULL;
        t->kept_of[t->n_kept] = v;
        t->kept[t->n_kept++] = (KeptVar){
            .name = name_of(&c->names, v->name), .is_mutable = v->is_mutable, .konst = v->konst, .gone = gone,
            .span = {base + v->name_lo, base + v->name_lo + (uint32_t)strlen(v->name)},
            .keyword = {base + v->keyword_lo, base + v->keyword_lo + 3}};
    }
    Buf texts = type_texts(k);
    Source *s = source_add(&c->sources, "types", texts.n ? texts.at : "", texts.n);
    Module *m = s ? parse_input(c, s, NULL) : NULL;
    for (int i = 0; m && m->input && i < t->n_kept; i++) t->kept[i].type = m->input->fn.body->stmts.at[i]->let.type;
    buf_free(&texts);
}

/* Names that the input mentions and earlier inputs declared in vain. */
static void add_lost(Check *k, const Text *input) {
    Trial *t = k->t;
    t->lost = arena_array(&t->c.arena, LostName, k->s->lost.n + 1);
    t->n_lost = 0;
    for (int i = 0; i < k->s->lost.n; i++) {
        const Lost *l = &k->s->lost.at[i];
        const Source *from = mentions(input->at, l->name) ? parsed_of(k, l->text)->source : NULL;
        if (!from) continue;
        uint32_t lo = from->base + l->lo;
        t->lost[t->n_lost++] = (LostName){.name = name_of(&t->c.names, l->name),
                                          .span = {lo, lo + (uint32_t)strlen(l->name)},
                                          .has_ended = l->has_ended};
    }
}

/* Diagnostics ------------------------------------------------------------------------------------------------------ */

static bool is_within(const Source *s, Span span) { return span.lo >= s->base && span.lo <= s->base + s->n; }

/* The declaration of the session that contains the error. NULL: it is in the input, or in a module. */
static Decl *blamed(Check *k, const Diag *d) {
    for (int i = 0; i < k->parsed.n; i++) {
        const Parsed *p = &k->parsed.at[i];
        if (!p->source || p->source == k->t->own || !is_within(p->source, d->span)) continue;
        uint32_t at = d->span.lo - p->source->base;
        for (int n = 0; n < k->s->decls.n; n++) {
            Decl *decl = k->s->decls.at[n];
            if (decl->text == p->text && at >= decl->lo && at <= decl->hi && !is_omitted(k, decl)) return decl;
        }
    }
    return NULL;
}

/* Keeps errors, and warnings about the input; warnings about earlier inputs were reported with these. */
static void keep_relevant(Trial *t) {
    Diags *all = &t->c.diags;
    int kept = 0;
    for (int i = 0; i < all->list.n; i++) {
        Diag *d = all->list.at[i];
        if (d->severity == SEV_ERROR || is_within(t->own, d->span)) all->list.at[kept++] = d;
    }
    all->list.n = kept;
}

static void keep_of(Trial *t, Check *k, const Decl *decl) {
    Diags *all = &t->c.diags;
    int kept = 0;
    for (int i = 0; i < all->list.n; i++) {
        Diag *d = all->list.at[i];
        if (d->severity == SEV_ERROR && blamed(k, d) == decl) all->list.at[kept++] = d;
    }
    all->list.n = kept;
}

static void say(Session *s, Trial *t, Buf *out) {
    if (t->c.diags.list.n) diags_print(&t->c, out, s->options.colour);
}

/* Attempts --------------------------------------------------------------------------------------------------------- */

static void begin(Trial *t) {
    Trial fresh = {.unfit_said = t->unfit_said};
    memcpy(&fresh.unfit, &t->unfit, sizeof t->unfit);
    memcpy(&fresh.again, &t->again, sizeof t->again);
    *t = fresh;
    compiler_init(&t->c);
}

/* Parses and checks the input with all declarations that are not excluded. false: there are errors. */
static bool attempt(Check *k, Text *input, bool all) {
    Trial *t = k->t;
    begin(t);
    k->parsed.n = k->replaced.n = 0;
    Parsed *own = parsed_of(k, input);
    t->own = own->source;
    if (!t->own) {
        diag(&t->c, E1002, (Span){0}, "this is too long");
        return false;
    }
    t->module = module_of(k, input);
    if (t->c.diags.n_errors) return false;
    t->items = t->module->items;
    t->module->items = (ItemList){0};
    for (int i = 0; i < t->items.n; i++) list_push(&k->replaced, t->items.at[i]->name);
    add_declarations(k);
    add_variables(k);
    add_lost(k, input);
    for (int i = 0; i < t->items.n; i++) vec_push(&t->c.arena, &t->module->items, t->items.at[i]);
    SemaOptions how = {.stdlib = stdlib_modules,
                       .kept = t->kept,
                       .n_kept = t->n_kept,
                       .lost = t->lost,
                       .n_lost = t->n_lost,
                       .is_session = true,
                       .only_reached = !all,
                       .own = {t->own->base, t->own->base + (uint32_t)t->own->n},
                       .strict = k->s->options.strict, .fast = k->s->options.fast,
                       .shadow = k->s->options.shadow,
                       .host_fuses = irgen_host_fuses,
                       .march = k->s->options.march};
    t->program = sema_check(&t->c, t->module, &how);
    return t->c.diags.n_errors == 0;
}

static Decl *first_blamed(Check *k) {
    for (int i = 0; i < k->t->c.diags.list.n; i++) {
        const Diag *d = k->t->c.diags.list.at[i];
        Decl *decl = d->severity == SEV_ERROR ? blamed(k, d) : NULL;
        if (decl) return decl;
    }
    return NULL;
}

/* Excludes the declaration d from the next attempt. */
static void exclude(Check *k, Decl *d) {
    if (!d->waits) {
        keep_of(k->t, k, d);
        say(k->s, k->t, &k->t->unfit_said);
        list_push(&k->t->unfit, d);
    }
    list_push(&k->omitted, d);
    compiler_free(&k->t->c);
}

static void find_fitting(Check *k) {
    for (int i = 0; i < k->s->decls.n; i++) {
        Decl *d = k->s->decls.at[i];
        if (d->waits && !is_omitted(k, d) && !is_replaced(k, d->name)) list_push(&k->t->again, d);
    }
}

bool trial_check(Session *s, Trial *t, Text *input, bool all, Buf *said) {
    Check k = {.s = s, .t = t};
    *t = (Trial){0};
    bool ok;
    for (Decl *unfit; !(ok = attempt(&k, input, all)) && (unfit = first_blamed(&k));) exclude(&k, unfit);
    find_fitting(&k);
    keep_relevant(t);
    say(s, t, said);
    free(k.parsed.at);
    free(k.replaced.at);
    free(k.omitted.at);
    return ok;
}

bool launches(const Trial *t) {
    for (int i = 0; t->program && i < t->program->funcs.n; i++)
        if (t->program->funcs.at[i]->is_kernel) return true;
    return false;
}

void trial_free(Trial *t) {
    compiler_free(&t->c);
    free(t->unfit.at);
    free(t->again.at);
    buf_free(&t->unfit_said);
    *t = (Trial){0};
}
