/* session.c -- executes an input of a session: checks it with all declarations (check.c), compiles it (code.c), calls
 * it (jit.c), and adds its declarations and variables to the session. An input with errors changes nothing. */
#include "repl/session.h"

#include <stdio.h>
#include <string.h>

#include "repl/internal.h"
#include "runtime/failure.h"

Session *session_new(const SessionOptions *options, Buf *why) {
    Session *s = calloc(1, sizeof *s);
    if (!s) ice(NULL, (Span){0}, "out of memory");
    const char *wrong = NULL;
    s->options = *options;
    if (!s->options.march) s->options.march = "native";
    s->last = calloc(1, sizeof *s->last);
    if (!s->last) ice(NULL, (Span){0}, "out of memory");
    compiler_init(&s->last->c);
    if (options->archs) s->archs = *options->archs;
    if (!options->archs && !archs_parse(&s->archs, &s->arena, "auto", &wrong)) buf_puts(why, wrong);
    else s->jit = jit_new(&s->last->c, archs_have_gpu(&s->archs), why);
    if (s->jit) return s;
    session_free(s);
    return NULL;
}

void session_reset(Session *s) {
    if (s->jit) value_drop(s);
    for (int i = 0; i < s->vars.n; i++) var_free(s, s->vars.at[i]);
    for (int i = 0; i < s->decls.n; i++) decl_free(s->decls.at[i]);
    lost_clear(s);
    s->vars.n = s->decls.n = s->launches.n = s->launch_times.n = s->n_inputs = 0;
    code_release(s);
    if (s->launched) trial_free(s->launched);
}

void session_free(Session *s) {
    if (!s) return;
    session_reset(s);
    if (s->jit) jit_free(s->jit);
    trial_free(s->last);
    free(s->launched);
    free(s->last);
    for (uint32_t i = 0; i < s->texts.cap; i++) free(s->texts.at[i]);
    free(s->texts.at);
    for (int i = 0; i < s->bytes.n; i++) free(s->bytes.at[i].at);
    free(s->bytes.at);
    free(s->made.at);
    free(s->units.at);
    free(s->vars.at);
    free(s->decls.at);
    free(s->lost.at);
    free(s->value.at);
    free(s->file);
    free(s->launches.at);
    free(s->launch_times.at);
    for (int i = 0; i < s->answers.n; i++) free(s->answers.at[i]);
    free(s->answers.at);
    arena_free(&s->arena);
    free(s);
}

int session_exit_code(const Session *s) { return jit_exit_code(s->jit); }

bool session_interrupt(Session *s) { return jit_interrupt(s->jit); }

void session_size(const Session *s, int64_t *bytes, int *units) { jit_size(s->jit, bytes, units); }

/* Declarations of an input ----------------------------------------------------------------------------------------- */

static void add_note(Session *s, Buf *said, const char *text) {
    buf_printf(said, "%s%s%s\n", s->options.colour ? "\033[2m" : "", text, s->options.colour ? "\033[0m" : "");
}

static void declare_items(Session *s, Trial *t, Text *text, Buf *said) {
    for (int i = 0; i < t->items.n; i++) {
        const Item *item = t->items.at[i];
        if (item->kind == ITEM_TEST) {
            add_note(s, said, "the test was checked but not run; `kdslc test` runs the tests of a file");
            continue;
        }
        var_remove(s, item->name);
        lost_forget(s, item->name);
        decl_add(s, decl_new(s, &t->c, text, i, item));
    }
}

static void tell_unfit(Session *s, Trial *t, Buf *said) {
    for (int i = 0; i < t->unfit.n; i++) t->unfit.at[i]->waits = true;
    for (int i = 0; i < t->again.n; i++) t->again.at[i]->waits = false;
    if (t->unfit_said.n) buf_add(said, t->unfit_said.at, t->unfit_said.n);
    for (int i = 0; i < t->unfit.n; i++) {
        Buf b = {0};
        buf_printf(&b, "`%s` (%s) no longer compiles: it cannot be used until it, or what it depends on, is declared "
                       "again",
                   t->unfit.at[i]->name, t->unfit.at[i]->text->path);
        add_note(s, said, b.at);
        buf_free(&b);
    }
    for (int i = 0; i < t->again.n; i++) {
        Buf b = {0};
        buf_printf(&b, "`%s` compiles again", t->again.at[i]->name);
        add_note(s, said, b.at);
        buf_free(&b);
    }
}

/* Removes variables whose struct type was declared again. */
static void release_stale(Session *s, const Trial *t, Buf *said) {
    for (int i = 0; i < t->n_kept; i++) {
        Var *v = t->kept_of[i];
        if (v->gone || !t->kept[i].gone) continue;
        Buf b = {0}, why = {0};
        buf_printf(&why, "%s (`%s`)", t->kept[i].gone, v->type);
        buf_printf(&b, "`%s` was removed: %s; declare it again: `%s %s = ...;`", v->name, why.at,
                   v->is_mutable ? "var" : "let", v->name);
        add_note(s, said, b.at);
        var_release(s, v, why.at);
        buf_free(&b);
        buf_free(&why);
    }
}

static void tell_waiting(Session *s, const Text *text, Buf *said) {
    for (int i = 0; i < s->decls.n; i++) {
        const Decl *d = s->decls.at[i];
        if (!d->waits || !mentions(text->at, d->name)) continue;
        Buf b = {0};
        buf_printf(&b, "`%s` (%s) cannot be used: it does not compile with the current declarations", d->name,
                   d->text->path);
        add_note(s, said, b.at);
        buf_free(&b);
    }
}

/* The input may be written for a declaration that was not kept. */
static void tell_older(Session *s, const Text *text, Buf *said) {
    for (int i = 0; i < s->lost.n; i++) {
        const Lost *l = &s->lost.at[i];
        const Decl *d = decl_find(s, l->name);
        const Var *v = var_find(s, l->name);
        if (l->text == text || (!d && !v) || !mentions(text->at, l->name)) continue;
        Buf b = {0};
        buf_printf(&b, "`%s` is still the one of %s: its declaration in %s was not kept", l->name,
                   d ? d->text->path : v->text->path, l->text->path);
        add_note(s, said, b.at);
        buf_free(&b);
    }
}

/* Run-time failures ------------------------------------------------------------------------------------------------ */

/* Parts of a file that was loaded have its name and its lines, so several sources may have the line. */
static const char *line_of_source(void *trial, const char *file, int n_file, int line, uint32_t hash, int *n) {
    Trial *t = trial;
    for (int i = 0; i < t->c.sources.files.n; i++) {
        Source *f = t->c.sources.files.at[i];
        if (strncmp(file, f->path, (size_t)n_file) || f->path[n_file]) continue;
        source_place(&t->c.sources, f->base); /* computes its line starts */
        const char *text = line <= f->n_lines ? source_line(f, line, n) : NULL;
        if (text && failure_hash(FAILURE_HASH, text, (size_t)*n) == hash) return text;
    }
    return NULL;
}

static JitEnd run_input(Session *s, Trial *t, RunInput *input, void *frame, Buf *said) {
    const KdslSources sources = {line_of_source, t, s->options.colour};
    size_t from = said->n;
    jit_sources_are(s->jit, &sources);
    JitEnd end = jit_run(s->jit, input, frame, said);
    jit_sources_are(s->jit, NULL);
    if (said->n > from && said->at[said->n - 1] != '\n') buf_putc(said, '\n');
    return end;
}

/* Execution -------------------------------------------------------------------------------------------------------- */

static void fresh_leaf(Symbol *sym, void *context) {
    enum { ALIGN = 64 };
    Var *v = context;
    size_t n = (size_t)type_size_bytes(sym->type);
    Leaf leaf = {.at = aligned_alloc(ALIGN, (n + ALIGN) / ALIGN * ALIGN), .is_array = sym->type->kind == TY_ARRAY};
    if (!leaf.at) ice(NULL, (Span){0}, "out of memory");
    memset(leaf.at, 0, n);
    list_push(&v->leaves, leaf);
}

static void each_leaf(Symbol *sym, void (*visit)(Symbol *sym, void *context), void *context) {
    if (!sym->parts) visit(sym, context);
    for (int i = 0; i < sym->n_parts; i++) each_leaf(sym->parts[i], visit, context);
}

static Var *fresh_var(Run *r, const KeptVar *k) {
    Var *v = calloc(1, sizeof *v);
    if (!v) ice(NULL, (Span){0}, "out of memory");
    v->name = copy_text(k->name, strlen(k->name));
    v->type = copy_text(k->type_text, strlen(k->type_text));
    v->is_mutable = k->is_mutable;
    v->text = r->text;
    r->text->refs++;
    v->name_lo = k->span.lo - r->t->own->base;
    v->keyword_lo = k->keyword.lo - r->t->own->base;
    if (k->sym->konst.kind != CONST_STR) v->konst = k->sym->konst;
    each_leaf(k->sym, fresh_leaf, v);
    return v;
}

/* Stores the addresses of a variable's leaves, in the order in which sema has numbered them. */
typedef struct LeafStore {
    Run *r;
    const Var *v;
    int next;
} LeafStore;

static void store_leaf(Symbol *sym, void *context) {
    LeafStore *p = context;
    p->r->leaves[kept_facts(sym)->number - 1] = p->v->leaves.at[p->next++].at;
}

static void make_frame(Run *r) {
    enum { FRAME_VALUE, FRAME_MADE, FRAME_VARIABLES }; /* irgen/lang/session.c */
    Arena *a = &r->t->c.arena;
    Program *p = r->t->program;
    r->frame = arena_array(a, void *, FRAME_VARIABLES + p->kept.n + 1);
    r->leaves = r->frame + FRAME_VARIABLES;
    r->fresh = arena_array(a, Var *, p->new_vars.n + 1);
    value_begin(r->s, r->t);
    r->frame[FRAME_VALUE] = r->s->value.at;
    r->frame[FRAME_MADE] = &r->made;
    for (int i = 0; i < r->t->n_kept; i++)
        if (!r->t->kept[i].gone) each_leaf(r->t->kept[i].sym, store_leaf, &(LeafStore){r, r->t->kept_of[i], 0});
    for (int i = 0; i < p->new_vars.n; i++) {
        r->fresh[i] = fresh_var(r, &p->new_vars.at[i]);
        each_leaf(p->new_vars.at[i].sym, store_leaf, &(LeafStore){r, r->fresh[i], 0});
    }
}

/* A variable whose array was moved away loses its value and keeps its name. */
static void find_moved(Session *s) {
    for (int i = 0; i < s->vars.n; i++) {
        Var *v = s->vars.at[i];
        bool moved = false;
        for (int k = 0; k < v->leaves.n; k++) moved |= v->leaves.at[k].is_array && !*(void **)v->leaves.at[k].at;
        if (!moved) continue;
        char why[64];
        snprintf(why, sizeof why, "it was moved in input %d", s->n_inputs);
        var_release(s, v, why);
    }
}

static void keep_blocks(Session *s, bool ok) {
    for (int i = 0; i < s->vars.n; i++)
        for (int k = 0; k < s->vars.at[i]->leaves.n; k++)
            if (s->vars.at[i]->leaves.at[k].is_array) jit_keep(s->jit, *(void **)s->vars.at[i]->leaves.at[k].at);
    if (ok) value_keep(s);
    else s->value.owned = false;
    jit_settle(s->jit, !ok);
}

/* Adds the new variables to the session. The variables that they replace are removed after keep_blocks, which must know
 * all arrays in use. */
static void take_over(Run *r, bool ok) {
    Session *s = r->s;
    int n = r->t->program->new_vars.n, n_made = ok ? n : (int)r->made;
    for (int i = 0; i < n; i++) {
        if (i < n_made) list_push(&s->vars, r->fresh[i]);
        if (i < n_made) lost_forget(s, r->fresh[i]->name);
        else lost_add(s, r->text, r->fresh[i]->name, r->fresh[i]->name_lo, true);
    }
    keep_blocks(s, ok);
    for (int i = n_made; i < n; i++) var_free(s, r->fresh[i]);
    for (int i = 0; i < n_made; i++) { /* var_find returns the first variable of that name, the older one */
        Var *older = var_find(s, r->fresh[i]->name);
        if (older != r->fresh[i]) var_remove(s, r->fresh[i]->name);
    }
    find_moved(s);
}

static SessionResult run(Run *r, SessionValue *value, Buf *said) {
    static const SessionResult results[] = {[JIT_RETURNED] = SESSION_DONE, [JIT_FAILED] = SESSION_FAILED,
                                            [JIT_INTERRUPTED] = SESSION_STOPPED, [JIT_EXITED] = SESSION_LEAVES};
    Session *s = r->s;
    r->unit = code_make(s, r->t, &r->input, said);
    if (!r->unit) return SESSION_REFUSED;
    make_frame(r);
    JitEnd end = run_input(s, r->t, r->input, r->frame, said);
    note_launches(s);
    bool ok = end == JIT_RETURNED;
    if (ok && value) value_tell(s, r->t, r->leaves, value);
    take_over(r, ok);
    code_settle(s);
    return results[end];
}

/* Discards the data of the previous input that queries could still use. */
static void begin(Session *s) {
    jit_begin(s->jit);
    value_drop(s);
    if (launches(s->last)) {
        Trial *reuse = s->launched ? s->launched : calloc(1, sizeof *reuse);
        if (!reuse) ice(NULL, (Span){0}, "out of memory");
        s->launched = s->last;
        s->last = reuse;
    }
    trial_free(s->last);
    s->launches.n = s->launch_times.n = 0;
    s->n_inputs++;
}

void session_from(Session *s, const char *file, int lines_before) {
    free(s->file);
    s->file = file ? copy_text(file, strlen(file)) : NULL;
    s->line = lines_before;
}

/* The text of an input from a file gets as many empty lines before it as the file has, so that line numbers agree. */
static Text *text_of_input(Session *s, const char *at, size_t n) {
    char path[32];
    Buf whole = {0};
    snprintf(path, sizeof path, "input %d", s->n_inputs);
    for (int i = 0; s->file && i < s->line; i++) buf_putc(&whole, '\n');
    buf_add(&whole, at, n);
    Text *t = text_new(s->file ? s->file : path, whole.n ? whole.at : "", whole.n);
    buf_free(&whole);
    return t;
}

SessionResult session_run(Session *s, const char *text, size_t n, SessionValue *value, Buf *said) {
    SessionResult result = SESSION_REFUSED;
    begin(s);
    if (value) *value = (SessionValue){.type = "", .element = ""};
    Run r = {.s = s, .t = s->last, .text = text_of_input(s, text, n)};
    if (trial_check(s, r.t, r.text, false, said)) {
        release_stale(s, r.t, said);
        declare_items(s, r.t, r.text, said);
        tell_unfit(s, r.t, said);
        result = r.t->module->input ? run(&r, value, said) : SESSION_DONE;
        if (!r.t->module->input) code_settle(s);
    } else {
        tell_waiting(s, r.text, said);
        lost_all(s, r.text);
        tell_older(s, r.text, said);
    }
    text_drop(r.text);
    return result;
}

/* Repeated execution ----------------------------------------------------------------------------------------------- */

bool run_ready(Session *s, const char *text, Run *r, Buf *said) {
    begin(s);
    *r = (Run){.s = s, .t = s->last, .text = text_of_input(s, text, strlen(text))};
    bool ok = trial_check(s, r->t, r->text, false, said);
    bool declares = ok && (r->t->items.n || r->t->program->new_vars.n), runs = ok && r->t->module->input;
    if (declares) buf_puts(said, "an input that is run many times cannot declare anything; write the declarations "
                                 "before\n");
    else if (ok && !runs) buf_puts(said, "there is nothing to run\n");
    if (runs && !declares) r->unit = code_make(s, r->t, &r->input, said);
    if (r->unit) make_frame(r);
    else text_drop(r->text);
    return r->unit != NULL;
}

bool run_again(Run *r, Buf *said) {
    value_drop(r->s);
    value_begin(r->s, r->t);
    JitEnd end = run_input(r->s, r->t, r->input, r->frame, said);
    take_over(r, end == JIT_RETURNED);
    if (end == JIT_INTERRUPTED) buf_puts(said, "interrupted\n");
    if (end == JIT_EXITED) buf_puts(said, "it called exit()\n");
    return end == JIT_RETURNED;
}

void run_over(Run *r) {
    code_settle(r->s);
    text_drop(r->text);
}
