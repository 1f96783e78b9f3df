/* code.c -- incremental compilation: machine code for a checked input, and the code of earlier inputs that is reused. A
 * function's symbol contains a hash of the generations of all declarations that its text refers to, directly or not. If
 * there is code with that symbol, it is reused; code whose symbol can no longer occur is released.
 *
 * Each input is one unit. Its host module and its kernels' modules are compiled in parallel. */
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "irgen/irgen.h"
#include "repl/internal.h"

enum { STACK_BYTES = 64 << 20 };

/* Symbols ---------------------------------------------------------------------------------------------------------- */

/* A hash of the modules' texts, since the files may change during the session. */
static uint64_t modules_hash(const Trial *t) {
    uint64_t h = 0xcbf29ce484222325u;
    for (int i = 0; i < t->c.sources.files.n; i++) {
        const Source *f = t->c.sources.files.at[i];
        const char *dot = strrchr(f->path, '.');
        if (!dot || strcmp(dot, ".kdsl") || f->path[0] == '<') continue;
        for (uint32_t k = 0; k < f->n; k++) h = (h ^ (unsigned char)f->text[k]) * 0x100000001b3u;
    }
    return h;
}

static Made *made_find(const Session *s, const char *symbol) {
    for (int i = 0; i < s->made.n; i++)
        if (!strcmp(s->made.at[i]->symbol, symbol)) return s->made.at[i];
    return NULL;
}

static void name_func(Session *s, Trial *t, Func *f, uint64_t modules) {
    if (f->is_extern) return;
    if (f->is_input) {
        f->symbol = arena_printf(&t->c.arena, "input.%d", s->n_inputs);
        return;
    }
    Closure c = closure_of(s, f->symbol);
    bool depends = c.has_module || (f->module != t->module && !f->module->is_std);
    uint64_t hash = closure_hash(&c, f->symbol, depends ? modules : 0) ^ s->options.shadow * 0x9e3779b97f4a7c15u;
    f->symbol = arena_printf(&t->c.arena, "%s.%016llx", f->symbol, (unsigned long long)hash);
    closure_free(&c);
    const Made *m = made_find(s, f->symbol);
    if (!m) return;
    f->is_made = true;
    f->made_in = arena_strndup(&t->c.arena, m->unit->name, strlen(m->unit->name));
    f->is_shadowed = m->is_shadowed;
    f->may_fail = m->may_fail; /* part of its ABI; a new analysis, with other kernels, may differ */
}

/* Objects ---------------------------------------------------------------------------------------------------------- */

typedef struct Piece {
    const Program *program;
    const Arch *arch; /* NULL: the host */
    IrOptions options;
    IrResult result;
    bool ok, threaded;
    pthread_t thread;
} Piece;

static void *make_piece(void *arg) {
    Piece *p = arg;
    p->ok = p->arch ? irgen_device(p->program, p->arch->target, &p->options, &p->result)
                    : irgen_host(p->program, &p->options, &p->result);
    return NULL;
}

static void start_piece(Piece *p) {
    pthread_attr_t attr;
    pthread_attr_init(&attr);
    pthread_attr_setstacksize(&attr, STACK_BYTES);
    p->threaded = !pthread_create(&p->thread, &attr, make_piece, p);
    pthread_attr_destroy(&attr);
}

static const char *keep_text(void *context, const char *at, size_t n) { return session_keep_text(context, at, n); }
static const void *keep_bytes(void *context, const void *at, size_t n) { return session_keep_bytes(context, at, n); }

static int new_kernels(const Program *p) {
    int n = 0;
    for (int i = 0; i < p->funcs.n; i++) n += p->funcs.at[i]->is_kernel && !p->funcs.at[i]->is_made;
    return n;
}

typedef struct Pieces {
    Piece *at; /* [0]: the host */
    int n;
} Pieces;

static Pieces make_pieces(Session *s, Trial *t, const char *unit) {
    Pieces p = {arena_array(&t->c.arena, Piece, s->archs.n + 1), 1};
    IrOptions options = {.opt_level = HOST_LEVEL, .march = s->options.march, .unit = unit, .keep_text = keep_text,
                         .keep_bytes = keep_bytes, .keep_context = s, .gpu = archs_have_gpu(&s->archs)};
    p.at[0] = (Piece){.program = t->program, .options = options};
    options.opt_level = s->options.opt_level;
    options.keep_text = NULL;
    options.keep_bytes = NULL;
    for (int i = 0; i < s->archs.n && new_kernels(t->program); i++) {
        Piece *piece = &p.at[p.n++];
        *piece = (Piece){.program = t->program, .arch = &s->archs.at[i], .options = options};
        if (piece->arch->cpu) piece->options.march = piece->arch->cpu;
        start_piece(piece);
    }
    make_piece(&p.at[0]);
    for (int i = 1; i < p.n; i++) {
        if (p.at[i].threaded) pthread_join(p.at[i].thread, NULL);
        else make_piece(&p.at[i]);
    }
    return p;
}

static bool make_image(Trial *t, Piece *p, DeviceImage *image) {
    *image = (DeviceImage){.triple = irgen_triple(p->arch->target), .arch = p->arch->cpu};
    return off_link_gpu_image(&t->c, p->arch->target, p->arch->cpu, p->arch->any_newer, &p->result.object,
                              &image->bytes);
}

/* Units ------------------------------------------------------------------------------------------------------------ */

static JitUnit *load(Session *s, Trial *t, Pieces *p, Buf *said) {
    DeviceImage *images = arena_array(&t->c.arena, DeviceImage, p->n);
    Blob *objects = arena_array(&t->c.arena, Blob, p->n);
    const char **kernels = arena_array(&t->c.arena, const char *, MOST_ENTRIES * t->program->funcs.n + 1);
    JitParts parts = {.objects = objects, .images = images, .kernels = kernels};
    bool ok = true;
    for (int i = 0; i < p->n; i++) {
        ok = ok && p->at[i].ok;
        bool is_gpu = p->at[i].arch && strcmp(p->at[i].arch->target, "x86") != 0;
        if (!is_gpu) objects[parts.n_objects++] = p->at[i].result.object;
        else if (ok) ok = make_image(t, &p->at[i], &images[parts.n_images++]);
    }
    for (int i = 0; i < t->program->funcs.n && p->n > 1; i++) {
        const Func *f = t->program->funcs.at[i];
        if (f->is_kernel && !f->is_made)
            parts.n_kernels += irgen_entries(&t->c, f, &p->at[0].options, kernels + parts.n_kernels);
    }
    if (!ok) diags_print(&t->c, said, s->options.colour);
    JitUnit *u = ok ? jit_add(s->jit, &parts, said) : NULL;
    for (int i = 0; i < parts.n_images; i++) blob_free(&images[i].bytes);
    return u;
}

static void record_made(Session *s, const Trial *t, Unit *u, uint64_t modules) {
    for (int i = 0; i < t->program->funcs.n; i++) {
        const Func *f = t->program->funcs.at[i];
        if (f->is_made || f->is_extern || f->is_input || !(f->on_host || f->is_kernel)) continue;
        Made *m = calloc(1, sizeof *m);
        if (!m) ice(NULL, (Span){0}, "out of memory");
        m->symbol = copy_text(f->symbol, strlen(f->symbol));
        m->unit = u;
        m->is_kernel = f->is_kernel;
        m->may_fail = f->may_fail;
        m->is_shadowed = f->is_shadowed;
        Closure c = closure_of(s, f->symbol);
        for (int k = 0; k < c.decls.n; k++) list_push(&m->generations, c.decls.at[k]->generation);
        m->modules = c.has_module || (f->module != t->module && !f->module->is_std) ? modules : 0;
        closure_free(&c);
        list_push(&s->made, m);
        u->n_made++;
    }
}

static void release(Session *s, Unit *u) {
    for (int i = 0; i < s->units.n; i++)
        if (s->units.at[i] == u) s->units.at[i] = s->units.at[--s->units.n];
    jit_release(s->jit, u->jit);
    free(u);
}

Unit *code_make(Session *s, Trial *t, RunInput **run, Buf *said) {
    uint64_t modules = modules_hash(t);
    for (int i = 0; i < t->program->funcs.n; i++) name_func(s, t, t->program->funcs.at[i], modules);
    Unit *u = calloc(1, sizeof *u);
    if (!u) ice(NULL, (Span){0}, "out of memory");
    snprintf(u->name, sizeof u->name, "u%d", ++s->n_units);
    Pieces p = make_pieces(s, t, u->name);
    u->jit = load(s, t, &p, said);
    for (int i = 0; i < p.n; i++) ir_result_free(&p.at[i].result);
    const char *name = arena_printf(&t->c.arena, "fn.input.%d", s->n_inputs);
    if (u->jit) *run = (RunInput *)(uintptr_t)jit_symbol(u->jit, name, said);
    if (!u->jit || !*run) {
        if (u->jit) jit_release(s->jit, u->jit);
        free(u);
        return NULL;
    }
    list_push(&s->units, u);
    record_made(s, t, u, modules);
    s->modules = modules;
    return u;
}

static bool is_alive(const Session *s, int generation) {
    for (int i = 0; i < s->decls.n; i++)
        if (s->decls.at[i]->generation == generation) return true;
    return false;
}

static bool is_needed(const Session *s, const Made *m) {
    if (m->modules && m->modules != s->modules) return false;
    for (int i = 0; i < m->generations.n; i++)
        if (!is_alive(s, m->generations.at[i])) return false;
    return true;
}

static void made_free(Made *m) {
    m->unit->n_made--;
    free(m->generations.at);
    free(m->symbol);
    free(m);
}

void code_settle(Session *s) {
    int kept = 0;
    for (int i = 0; i < s->made.n; i++) {
        if (is_needed(s, s->made.at[i])) s->made.at[kept++] = s->made.at[i];
        else made_free(s->made.at[i]);
    }
    s->made.n = kept;
    for (int i = s->units.n; i-- > 0;)
        if (!s->units.at[i]->n_made) release(s, s->units.at[i]);
}

void code_release(Session *s) {
    for (int i = 0; i < s->made.n; i++) made_free(s->made.at[i]);
    s->made.n = 0;
    while (s->units.n) release(s, s->units.at[s->units.n - 1]);
}
