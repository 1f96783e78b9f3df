/* module.c -- `import`: finds and parses modules, each once, in topological order (a module comes after those that it
 * imports, so their constants and signatures are known); and qualified names such as `math.lerp`.
 *
 * `import a.b;` names the file a/b.kdsl beside the importing file, else beside the program, else in the standard
 * library, which is embedded in the compiler. The scope of a module exists while the module is checked, and is kept as
 * Module.symbols afterwards. */
#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sema/check.h"

enum { MAX_IMPORT_DEPTH = 100 };

/* Finding ----------------------------------------------------------------------------------------------------- */

static const char stdlib_folder[] = "<stdlib>/";

static bool is_from_stdlib(const Module *m) {
    return !strncmp(m->source->path, stdlib_folder, sizeof stdlib_folder - 1);
}

static const char *joined_path(Sema *s, const Item *import, char separator) {
    const char *text = import->import.path.at[0];
    for (int i = 1; i < import->import.path.n; i++)
        text = arena_printf(s->arena, "%s%c%s", text, separator, import->import.path.at[i]);
    return text;
}

static const char *folder_of(Sema *s, const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? arena_strndup(s->arena, path, (size_t)(slash - path + 1)) : "";
}

static const BuiltInModule *find_in_stdlib(const Sema *s, const char *name) {
    const BuiltInModule *m = s->stdlib;
    while (m && m->name && strcmp(m->name, name)) m++;
    return m && m->name ? m : NULL;
}

/* The folders to look into, the nearest first. */
static int folders(Sema *s, const Module *from, const Item *import, const char *out[2]) {
    if (is_from_stdlib(from) || from->is_submission) return 0;
    Place place = source_place(&s->c->sources, import->span.lo); /* a session is one module of many texts */
    out[0] = folder_of(s, place.file ? place.file->path : from->source->path);
    out[1] = folder_of(s, s->own_file->source->path);
    return strcmp(out[0], out[1]) ? 2 : 1;
}

/* Spelling ---------------------------------------------------------------------------------------------------- */

typedef struct NearestModule {
    const char *wanted, *best;
    int distance;
} NearestModule;

static void consider(NearestModule *n, const char *name) {
    int d = edit_distance(n->wanted, name, n->distance - 1);
    if (d >= n->distance) return;
    n->distance = d;
    n->best = name;
}

static void consider_folder(Sema *s, NearestModule *n, const char *folder) {
    DIR *dir = opendir(*folder ? folder : ".");
    for (struct dirent *e; dir && (e = readdir(dir));) {
        size_t length = strlen(e->d_name);
        if (length <= 5 || length > 64 || strcmp(e->d_name + length - 5, ".kdsl")) continue;
        consider(n, arena_strndup(s->arena, e->d_name, length - 5));
    }
    if (dir) closedir(dir);
}

/* The path as written; the parser's span begins at the `import`. */
static Span path_span(Sema *s, const Item *import) {
    Span span = import->name_span;
    const char *text = source_text(s, span);
    while (span.lo + 1 < span.hi && (*text == ' ' || *text == '\t' || *text == '\n')) text++, span.lo++;
    return span;
}

static void not_found(Sema *s, const Module *from, const Item *import) {
    const char *folder[2], *path = joined_path(s, import, '/');
    Diag *d = diag(s->c, E0801, path_span(s, import), "there is no module `%s`", joined_path(s, import, '.'));
    NearestModule near = {.wanted = import->name, .distance = strlen(import->name) < 5 ? 2 : 3};
    int n = folders(s, from, import, folder);
    for (int i = 0; i < n; i++) {
        diag_note(s->c, d, path_span(s, import), "searched for `%s%s.kdsl`", folder[i], path);
        if (import->import.path.n == 1) consider_folder(s, &near, folder[i]);
    }
    if (from->is_submission)
        diag_note(s->c, d, path_span(s, import), "a submission is one file, and can import only the standard library");
    const char *names = "";
    for (const BuiltInModule *m = s->stdlib; m && m->name; m++) {
        names = arena_printf(s->arena, "%s%s%s", names, *names ? ", " : "", m->name);
        consider(&near, m->name);
    }
    if (*names) diag_note(s->c, d, path_span(s, import), "the standard library has %s", names);
    if (!near.best || import->import.path.n != 1) return;
    Span last = {import->span.hi - 1 - (uint32_t)strlen(import->name), import->span.hi - 1};
    if (!strcmp(source_text(s, last), import->name))
        diag_fix(s->c, d, last, near.best, "did you mean `%s`?", near.best);
}

/* Loading ----------------------------------------------------------------------------------------------------- */

static const char *key_of(Sema *s, const char *path) {
    char *real = realpath(path, NULL);
    if (!real) return arena_strndup(s->arena, path, strlen(path));
    const char *kept = arena_strndup(s->arena, real, strlen(real));
    free(real);
    return kept;
}

static Module *find_loaded(Sema *s, const char *key) {
    for (int i = 0; i < s->modules.n; i++)
        if (!strcmp(s->modules.at[i]->key, key)) return s->modules.at[i];
    return NULL;
}

/* The names in the generated code contain it, so that modules of the same name do not collide. */
static const char *unique_name(Sema *s, const char *name) {
    int same = 0;
    for (int i = 0; i < s->modules.n; i++) same += !strcmp(s->modules.at[i]->path, name);
    return same ? arena_printf(s->arena, "%s#%d", name, same + 1) : name;
}

static Module *parse_module(Sema *s, Source *source, const Item *import, const char *key) {
    Module *m = parse_source(s->c, source, NULL);
    m->key = key;
    m->path = joined_path(s, import, '.');
    m->symbol = unique_name(s, m->path);
    m->is_std = is_from_stdlib(m);
    m->type_text = type_name;
    vec_push(s->arena, &s->modules, m);
    return m;
}

/* SemaOptions.submission. NULL: the import does not name it. */
static const char *submission_path(const Sema *s, const Module *from, const char *relative) {
    const GivenModule *given = s->options ? &s->options->submission : NULL;
    bool is_meant = given && given->name && from == s->own_file && !strcmp(relative, given->name);
    return is_meant ? given->path : NULL;
}

/* The files to look for, the nearest first. */
static int files(Sema *s, const Module *from, const Item *import, const char *out[2]) {
    const char *folder[2], *relative = joined_path(s, import, '/');
    out[0] = submission_path(s, from, relative);
    if (out[0]) return 1;
    int n = folders(s, from, import, folder);
    for (int i = 0; i < n; i++) out[i] = arena_printf(s->arena, "%s%s.kdsl", folder[i], relative);
    return n;
}

/* The module that an import names: loaded already, or read now. NULL: reported. */
static Module *find_module(Sema *s, const Module *from, const Item *import, bool *is_new) {
    const char *file[2], *relative = joined_path(s, import, '/'), *why = NULL;
    int n = files(s, from, import, file);
    *is_new = false;
    for (int i = 0; i < n; i++) {
        const char *path = file[i];
        if (access(path, F_OK)) continue;
        const char *key = key_of(s, path);
        if (!strcmp(key, from->key)) continue; /* random.kdsl may import the `random` of the standard library */
        Module *m = find_loaded(s, key);
        if (m) return m;
        Source *source = source_read(&s->c->sources, path, SOURCE_FILE, &why);
        *is_new = source != NULL;
        if (source) {
            m = parse_module(s, source, import, key);
            m->is_submission = submission_path(s, from, relative) != NULL;
            return m;
        }
        diag(s->c, E0801, path_span(s, import), "cannot read the module `%s`: %s", path, why);
        return NULL;
    }
    const BuiltInModule *std = find_in_stdlib(s, joined_path(s, import, '.'));
    if (!std) {
        not_found(s, from, import);
        return NULL;
    }
    const char *path = arena_printf(s->arena, "%s%s.kdsl", stdlib_folder, std->name);
    Module *m = find_loaded(s, path);
    if (m) return m;
    Source *source = source_add(&s->c->sources, path, std->text, (size_t)(std->end - std->text));
    *is_new = source != NULL;
    if (source) return parse_module(s, source, import, path);
    diag(s->c, E0801, path_span(s, import), "the sources are larger than 1 GiB together");
    return NULL;
}

static void circle(Sema *s, const Module *back_to, const Item *import) {
    int n = s->importing.n, first = n;
    while (first > 0 && s->importing.at[first - 1]->import.module != back_to) first--;
    Diag *d = diag(s->c, E0802, path_span(s, import), "importing `%s` here is circular", import->name);
    for (int i = first; i < n; i++) {
        const Item *step = s->importing.at[i];
        diag_note(s->c, d, path_span(s, step), "it is reached through this import of `%s`", step->name);
    }
    diag_note(s->c, d, path_span(s, import), "move the common declarations into a third module");
}

static void load_imports(Sema *s, Module *m);

static void load_import(Sema *s, Module *from, Item *import) {
    bool is_new;
    Module *m = find_module(s, from, import, &is_new);
    import->import.module = m;
    if (!m) return;
    if (!is_new && !m->complete) {
        circle(s, m, import);
        import->import.module = NULL;
        return;
    }
    if (!is_new) return;
    if (s->importing.n >= MAX_IMPORT_DEPTH) {
        diag(s->c, E0802, path_span(s, import), "imports are nested more than %d modules deep", MAX_IMPORT_DEPTH);
        return;
    }
    vec_push(s->arena, &s->importing, import);
    load_imports(s, m);
    s->importing.n--;
}

static void load_imports(Sema *s, Module *m) {
    for (int i = 0; i < m->items.n; i++)
        if (m->items.at[i]->kind == ITEM_IMPORT && !(m == s->own_file && holes_hide(s, m->items.at[i])))
            load_import(s, m, m->items.at[i]);
    m->complete = true;
    vec_push(s->arena, &s->in_order, m);
}

bool modules_load(Sema *s, Module *own_file) {
    int errors = s->c->diags.n_errors;
    s->own_file = own_file;
    own_file->key = key_of(s, own_file->source->path);
    own_file->path = own_file->symbol = "";
    vec_push(s->arena, &s->modules, own_file);
    load_imports(s, own_file);
    return s->c->diags.n_errors == errors;
}

/* Names ------------------------------------------------------------------------------------------------------- */

void declare_import(Sema *s, Item *item) {
    Span last = {item->span.hi - 1 - (uint32_t)strlen(item->name), item->span.hi - 1};
    Symbol *sym = symbol_new(s, SYM_MODULE, item->name, last, item->import.module ? s->nothing : s->error);
    sym->item = item;
    scope_add(s, sym);
}

/* The module is checked: what it declares leaves the scope and is kept for those who import it. */
void module_leave(Sema *s) {
    for (int i = 0; i < s->scopes.live.n; i++)
        vec_push(s->arena, &s->program->module->symbols, s->scopes.live.at[i]->sym);
    scope_clear(s);
}

static Symbol *find_member(const Module *m, Name name) {
    for (int i = 0; m && i < m->symbols.n; i++)
        if (m->symbols.at[i]->name == name && m->symbols.at[i]->kind != SYM_MODULE) return m->symbols.at[i];
    return NULL;
}

Symbol *scope_find_qualified(Sema *s, Name name) {
    const char *dot = strchr(name, '.');
    if (!dot) return NULL;
    Symbol *module = scope_find(s, name_intern(&s->c->names, name, (size_t)(dot - name)));
    if (!module || module->kind != SYM_MODULE || dot[1] == '_') return NULL;
    return find_member(module->item->import.module, name_of(&s->c->names, dot + 1));
}

/* Neither private, nor a function of C that the standard library is made of. */
static bool is_offered(const Symbol *sym) {
    return sym->kind != SYM_MODULE && sym->name[0] != '_' && !is_std_name(sym->name);
}

static const char *names_offered(Sema *s, const Module *m) {
    const char *names = "";
    for (int i = 0; i < m->symbols.n; i++)
        if (is_offered(m->symbols.at[i]))
            names = arena_printf(s->arena, "%s%s`%s`", names, *names ? ", " : "", m->symbols.at[i]->name);
    return names;
}

static void no_member(Sema *s, const Expr *e, const Symbol *sym) {
    const Module *m = sym->item->import.module;
    const char *wanted = e->field.name;
    Diag *d = diag(s->c, E0803, e->field.name_span, "the module `%s` has no `%s`", sym->name, wanted);
    NearestModule near = {.wanted = wanted, .distance = strlen(wanted) < 5 ? 2 : 3};
    for (int i = 0; i < m->symbols.n; i++)
        if (is_offered(m->symbols.at[i]))
            consider(&near, m->symbols.at[i]->name);
    if (near.best) diag_fix(s->c, d, e->field.name_span, near.best, "did you mean `%s`?", near.best);
    else if (*names_offered(s, m)) diag_note(s->c, d, e->field.name_span, "it has %s", names_offered(s, m));
    else diag_note(s->c, d, e->field.name_span, m->items.n ? "it has only private names" : "it is empty");
}

static bool launches(Expr *e, void *context);

enum { MAX_CALLS = 8 /* of functions of a module, one in another */ };

typedef struct Launching {
    const Module *module;
    int calls;
} Launching;

/* The effects of functions are only known when all bodies have been checked, and those of generics for each set of
 * types: so this asks the tree. */
static bool member_launches(const Module *m, Name name, int calls) {
    const Symbol *sym = find_member(m, name);
    const Item *item = sym ? sym->item : NULL;
    bool is_function = item && item->kind == ITEM_FN && item->fn.body;
    return is_function && calls && block_find(item->fn.body, launches, &(Launching){m, calls - 1});
}

static bool launches(Expr *e, void *context) {
    const Launching *l = context;
    if (e->kind == EXPR_OFFLOAD) return true;
    const Expr *callee = e->kind == EXPR_CALL ? e->call.callee : NULL;
    return callee && callee->kind == EXPR_NAME && member_launches(l->module, callee->name.name, l->calls);
}

const char *module_offers(Sema *s, Name name, bool *is_for_host) {
    for (int i = s->scopes.live.n; name[0] != '_' && i-- > 0;) {
        const Symbol *sym = s->scopes.live.at[i]->sym;
        if (sym->kind != SYM_MODULE || !sym->item->import.module) continue;
        const Module *m = sym->item->import.module;
        if (!find_member(m, name)) continue;
        *is_for_host = member_launches(m, name, MAX_CALLS);
        return arena_printf(s->arena, "%s.%s", sym->name, name);
    }
    return NULL;
}

/* `math.lerp` becomes the name "math.lerp", which scope_find knows. */
bool module_member(Sema *s, Expr *e) {
    if (e->kind != EXPR_FIELD || e->field.base->kind != EXPR_NAME) return false;
    Symbol *sym = scope_find(s, e->field.base->name.name);
    if (!sym || sym->kind != SYM_MODULE || !sym->item->import.module) return false;
    Symbol *member = find_member(sym->item->import.module, e->field.name);
    if (!member || e->field.name[0] == '_') {
        if (!member) {
            no_member(s, e, sym);
        } else {
            Diag *d = diag(s->c, E0804, e->field.name_span, "`%s` is private to the module `%s`", e->field.name,
                           sym->name);
            note_declared(s, d, member);
        }
        e->kind = EXPR_ERROR;
        return true;
    }
    const char *text = arena_printf(s->arena, "%s.%s", sym->name, e->field.name);
    e->kind = EXPR_NAME;
    e->name.name = name_of(&s->c->names, text);
    e->name.sym = member;
    return true;
}

/* What the program uses --------------------------------------------------------------------------------------- */

bool is_own(const Sema *s, const Func *f) {
    return f->module == s->own_file && !f->facts->instance; /* of those, the ones that are called */
}

void mark_reached(Sema *s, bool (*begins)(const Sema *s, const Func *f)) {
    Program *p = s->program;
    Vec(Func *) reached = {0};
    for (int i = 0; i < p->funcs.n; i++) {
        Func *f = p->funcs.at[i];
        f->facts->queued = begins(s, f);
        if (f->facts->queued) vec_push(s->arena, &reached, f);
    }
    for (int i = 0; i < reached.n; i++)
        for (int k = 0; k < reached.at[i]->facts->calls.n; k++) {
            Func *callee = reached.at[i]->facts->calls.at[k]->callee;
            if (callee->facts->queued) continue;
            callee->facts->queued = true;
            vec_push(s->arena, &reached, callee);
        }
}

void keep_reached(Sema *s, bool (*begins)(const Sema *s, const Func *f)) {
    Program *p = s->program;
    int kept = 0;
    mark_reached(s, begins);
    for (int i = 0; i < p->funcs.n; i++)
        if (p->funcs.at[i]->facts->queued) p->funcs.at[kept++] = p->funcs.at[i];
    p->funcs.n = kept;
}
