/* scope.c -- name lookup: one hash table for all scopes. Each entry is a stack of the meanings of a name, the
 * innermost scope on top, so that a lookup is one step, however deeply scopes are nested and however many functions
 * there are. */
#include <string.h>
#include <strings.h>

#include "sema/check.h"

struct NameEntry {
    Name name;
    Binding *top;
    Symbol *last; /* the newest of this name, also when its scope has ended */
    NameEntry *next;
};

static uint32_t name_hash(Name n) { return (uint32_t)(((uintptr_t)n >> 3) * 2654435761u); }

static void table_grow(Sema *s) {
    Scopes *t = &s->scopes;
    uint32_t cap = t->cap ? t->cap * 2 : 256;
    NameEntry **slots = arena_array(s->arena, NameEntry *, cap);
    for (uint32_t i = 0; i < t->cap; i++)
        for (NameEntry *e = t->slots[i], *next; e; e = next) {
            next = e->next;
            NameEntry **slot = &slots[name_hash(e->name) & (cap - 1)];
            e->next = *slot;
            *slot = e;
        }
    t->slots = slots;
    t->cap = cap;
}

static NameEntry *entry_find(Sema *s, Name name) {
    Scopes *t = &s->scopes;
    if (!t->cap) return NULL;
    NameEntry *e = t->slots[name_hash(name) & (t->cap - 1)];
    while (e && e->name != name) e = e->next;
    return e;
}

static NameEntry *entry_get(Sema *s, Name name) {
    NameEntry *e = entry_find(s, name);
    if (e) return e;
    Scopes *t = &s->scopes;
    if (t->n >= t->cap) table_grow(s);
    e = arena_new(s->arena, NameEntry);
    NameEntry **slot = &t->slots[name_hash(name) & (t->cap - 1)];
    *e = (NameEntry){.name = name, .next = *slot};
    t->n++;
    return *slot = e;
}

void scope_enter(Sema *s) { s->scopes.level++; }

void scope_leave(Sema *s) {
    Scopes *t = &s->scopes;
    while (t->live.n && t->live.at[t->live.n - 1]->level == t->level) {
        Binding *b = t->live.at[--t->live.n];
        b->entry->top = b->below;
    }
    t->level--;
}

/* Is the code being checked part of this function itself? */
static bool is_inside(const Sema *s, const Symbol *sym) {
    const Instance *of = s->func ? s->func->facts->instance : NULL;
    return s->func && (s->func->item == sym->item || (of && of->of->sym == sym));
}

Symbol *scope_find(Sema *s, Name name) {
    NameEntry *e = entry_find(s, name);
    if (!e || !e->top) return scope_find_qualified(s, name);
    Symbol *sym = e->top->sym;
    if (sym->item && !sym->is_mentioned) sym->is_mentioned = !is_inside(s, sym);
    return sym;
}

Symbol *scope_hides(Sema *s, Name name) {
    NameEntry *e = entry_find(s, name);
    return e && e->top && e->top->level != s->scopes.level ? e->top->sym : NULL;
}

const Symbol *scope_ended(Sema *s, Name name) {
    NameEntry *e = entry_find(s, name);
    bool ended = e && !e->top && e->last && e->last->kind == SYM_LOCAL && s->func && e->last->func == s->func;
    return ended ? e->last : NULL;
}

void scope_clear(Sema *s) {
    Scopes *t = &s->scopes;
    while (t->live.n) {
        Binding *b = t->live.at[--t->live.n];
        b->entry->top = b->below;
    }
}

static void bind(Sema *s, NameEntry *e, Symbol *sym) {
    Binding *b = arena_new(s->arena, Binding);
    *b = (Binding){.sym = sym, .level = s->scopes.level, .entry = e, .below = e->top};
    e->top = b;
    e->last = sym;
    vec_push(s->arena, &s->scopes.live, b);
}

void scope_add_as(Sema *s, Name name, Symbol *sym) { bind(s, entry_get(s, name), sym); }

bool scope_add(Sema *s, Symbol *sym) {
    NameEntry *e = entry_get(s, sym->name);
    if (e->top && e->top->level == s->scopes.level && sym->name != s->underscore) {
        Diag *d = diag(s->c, E0302, sym->span, "`%s` is already declared here", sym->name);
        note_declared(s, d, e->top->sym);
        bool variables = sym->kind == SYM_LOCAL && e->top->sym->kind == SYM_LOCAL && sym->keyword.hi;
        if (variables)
            diag_note(s->c, d, sym->span, "to change its value, declare it with `var`, and assign: `%s = ...;`",
                      sym->name);
        return false;
    }
    bind(s, e, sym);
    return true;
}

void scope_again(Sema *s, Symbol *sym) {
    NameEntry *e = entry_get(s, sym->name);
    if (!e->top || e->top->level != s->scopes.level) bind(s, e, sym);
}

/* The next row of each side table. */
static void side_rows(Sema *s, Func *f) {
    vec_push(s->arena, &f->frames, (FrameFacts){0});
    vec_push(s->arena, &f->combined, (CombineFacts){0});
    vec_push(s->arena, &f->kept, (KeptFacts){0});
    vec_push(s->arena, &f->varying, false);
    vec_push(s->arena, &f->shadowed, false);
    vec_push(s->arena, &f->exposed, false);
}

Symbol *symbol_new(Sema *s, SymbolKind kind, Name name, Span span, Type *type) {
    Symbol *sym = arena_new(s->arena, Symbol);
    *sym = (Symbol){.kind = kind, .name = name, .span = span, .type = type, .id = -1};
    if (kind != SYM_CONST && kind != SYM_FN && kind != SYM_MODULE && kind != SYM_STRUCT && kind != SYM_TYPE &&
        s->func) {
        sym->id = s->func->n_symbols++;
        sym->func = s->func;
        side_rows(s, s->func);
    }
    return sym;
}

const char *symbol_what(const Symbol *sym) {
    switch (sym->kind) {
    case SYM_LOCAL:
        if (sym->table) return "a constant";
        if (sym->is_group_value) return "a built-in value of each work item";
        if (sym->is_shared) return "a `shared` array";
        if (!sym->keyword.hi) return "a loop variable";
        return sym->is_mutable ? "a `var`" : "a `let`";
    case SYM_PARAM: return "a parameter";
    case SYM_SIZE: return "a size";
    case SYM_DOMAIN: return "a domain variable";
    case SYM_CONST: return "a constant";
    case SYM_MODULE: return "a module";
    case SYM_FN: return sym->func && sym->func->is_kernel ? "a kernel" : "a function";
    case SYM_STRUCT: return "a struct";
    case SYM_TYPE: return "a type";
    }
    return "a name";
}

/* Nearest spelling ------------------------------------------------------------------------------------------- */

typedef struct Nearest {
    const char *wanted, *best;
    int distance;
} Nearest;

static void consider(Nearest *n, const char *name) {
    if (strcmp(name, n->wanted) == 0) return; /* it is the other class of name that was looked for */
    int d = edit_distance(n->wanted, name, n->distance - 1);
    if (!strcasecmp(n->wanted, name)) d = 0; /* nothing is nearer: `F32` is f32, not i32 */
    if (d >= n->distance) return;
    n->distance = d;
    n->best = name;
}

const char *nearest_name(Sema *s, Name name, unsigned classes) {
    size_t length = strlen(name);
    if (length > 64 || s->c->diags.n_errors > DIAG_MAX_ERRORS) return NULL; /* no one will see it */
    Nearest n = {.wanted = name, .distance = length < 5 ? 2 : length < 8 ? 3 : 4};
    if (length == 1) n.distance = 1; /* every one-letter name is one change from every other: only `N` for `n` */
    for (int i = s->scopes.live.n; i-- > 0;) {
        Symbol *sym = s->scopes.live.at[i]->sym;
        unsigned class = sym->kind == SYM_FN                                 ? NAMES_FUNCTIONS
                         : sym->kind == SYM_STRUCT || sym->kind == SYM_TYPE ? NAMES_TYPES
                                                                            : NAMES_VALUES;
        if (classes & class) consider(&n, sym->name);
    }
    if (classes & NAMES_FUNCTIONS)
        for (int b = 1; b < BUILTIN__COUNT; b++)
            if (b != BUILTIN_AT && b != BUILTIN_SHOWN) consider(&n, builtin_rows[b].name);
    if (classes & NAMES_TYPES)
        for (int k = TY_BOOL; k <= TY_STR; k++)
            consider(&n, type_scalar(s->types, (TypeKind)k)->name);
    return n.best;
}
