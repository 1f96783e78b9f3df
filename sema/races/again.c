/* again.c -- an element that is read beside its atomic update: in the value of the update itself, `atomic c = c + 1`,
 * so that updates are lost, or after it, where other work items may have updated it again. */
#include <ctype.h>
#include <string.h>

#include "sema/races/pairs.h"

enum { MAX_THROUGH = 4 /* variables */ };

static bool contains(Span outer, Span inner) { return outer.lo <= inner.lo && inner.hi <= outer.hi; }

/* The side that is an atomic update of the same text as the plain read on the other side; -1: there is none. */
static int atomic_side(Sema *s, const RacePair *p) {
    for (int k = 0; k < 2; k++) {
        const Expr *e = p->atomic[k];
        if (e && !strcmp(p->mode[!k], "read") && races_same_text(s, e->atomic.target->span, p->at[!k])) return k;
    }
    return -1;
}

/* In the value of the update --------------------------------------------------------------------------------------- */

typedef struct Read {
    Span read;
    int left;
} Read;

static bool is_source(Expr *e, void *context) {
    Read at = *(Read *)context;
    if (e->span.lo == at.read.lo && e->span.hi == at.read.hi) return true;
    bool is_local = e->kind == EXPR_NAME && e->name.sym && e->name.sym->kind == SYM_LOCAL && e->name.sym->init;
    return is_local && --at.left > 0 && expr_find(e->name.sym->init, is_source, &at);
}

/* Its value was computed from the element, as read before: NULL, or the update. */
static const Expr *stale(Sema *s, const RacePair *p) {
    int k = atomic_side(s, p);
    if (k < 0) return NULL;
    const Expr *e = p->atomic[k];
    bool stores = atomic_kind(e) == ATOMIC_EXCHANGE, within = contains(e->atomic.value->span, p->at[!k]);
    if (e->atomic.was || (!stores && !within)) return NULL;
    return expr_find(e->atomic.value, is_source, &(Read){p->at[!k], MAX_THROUGH}) ? e : NULL;
}

static void fix_stale(Sema *s, Diag *d, const Expr *e) {
    const Expr *target = e->atomic.target, *value = e->atomic.value;
    const char *update = atomic_kind(e) == ATOMIC_EXCHANGE ? races_as_update(s, target, value) : NULL;
    if (update) {
        diag_fix(s->c, d, (Span){target->span.lo, value->span.hi}, update, "read and write it in one atomic update");
        return;
    }
    diag_note(s->c, d, value->span,
              "read and write it in one atomic update, `+=` `-=` `&=` `|=` `^=` `min=` or `max=`%s",
              target->type->is_int ? "; other updates repeat `atomic x = new if == old` until it returns `old`" : "");
}

/* After the update ------------------------------------------------------------------------------------------------- */

typedef struct After {
    const Expr *update;
    Span read;
    const Stmt *st; /* of the update */
} After;

static bool is_update_of(const After *a, const Stmt *st) {
    return (st->kind == STMT_ATOMIC && st->atomic.atomic == a->update) ||
           (st->kind == STMT_LET && st->let.init == a->update);
}

static bool find_after(After *a, const Block *b);

static bool find_after_in(After *a, const Stmt *st) {
    switch ((int)st->kind) {
    case STMT_IF: return find_after(a, st->if_.then_) || (st->if_.else_ && find_after_in(a, st->if_.else_));
    case STMT_FOR: return find_after(a, st->for_.body);
    case STMT_WHILE: return find_after(a, st->while_.body);
    case STMT_BLOCK: return find_after(a, st->block.block);
    }
    return false;
}

static bool find_after(After *a, const Block *b) {
    for (int i = 0; i < b->stmts.n; i++) {
        const Stmt *st = b->stmts.at[i];
        for (int k = i + 1; k < b->stmts.n && is_update_of(a, st); k++) {
            a->st = st;
            if (contains(b->stmts.at[k]->span, a->read)) return true;
        }
        if (find_after_in(a, st)) return true;
    }
    return false;
}

static const Stmt *update_before(Sema *s, const Func *kernel, const RacePair *p) {
    int k = atomic_side(s, p);
    if (k < 0) return NULL;
    After a = {p->atomic[k], p->at[!k], NULL};
    return find_after(&a, kernel->item->fn.body) ? a.st : NULL;
}

static bool has_word(const char *text, const char *word) {
    size_t n = strlen(word);
    for (const char *at = text; (at = strstr(at, word)); at += n) {
        bool begins = at == text || (!isalnum((unsigned char)at[-1]) && at[-1] != '_');
        if (begins && !isalnum((unsigned char)at[n]) && at[n] != '_') return true;
    }
    return false;
}

static const char *free_name(Sema *s, const Func *kernel) {
    static const char *const names[] = {"k", "old", "ticket", "old_value"};
    const char *text = source_text(s, kernel->item->span);
    for (int i = 0; i < 4; i++)
        if (!has_word(text, names[i])) return names[i];
    return "the_old_value";
}

typedef struct Minus { /* count[0] - 1 after count[0] += 1 is the old value */
    Sema *s;
    Span read, amount;
} Minus;

static bool takes_back(Expr *e, void *context) {
    const Minus *m = context;
    return e->kind == EXPR_BINARY && e->binary.op == OP_SUB && e->binary.lhs->span.lo == m->read.lo &&
           e->binary.lhs->span.hi == m->read.hi && races_same_text(m->s, e->binary.rhs->span, m->amount);
}

static void fix_read_again(Sema *s, const Func *kernel, Diag *d, const RacePair *p, const Stmt *update) {
    int k = atomic_side(s, p);
    const Expr *e = p->atomic[k], *amount = e->atomic.value;
    if (e->atomic.op != OP_ADD || !(amount->konst.kind == CONST_INT)) {
        diag_note(s->c, d, p->at[!k], "use the old value that `let old = atomic ...;` returns");
        return;
    }
    Minus m = {s, p->at[!k], amount->span};
    const Expr *whole = block_find(kernel->item->fn.body, takes_back, &m);
    Span span = whole ? whole->span : p->at[!k];
    const char *name = update->kind == STMT_LET ? update->let.name : free_name(s, kernel);
    const char *value = whole ? name : arena_printf(s->arena, "(%s + %s)", name, source_text(s, amount->span));
    if (update->kind == STMT_LET) diag_fix(s->c, d, span, value, "use the old value");
    else
        diag_note(s->c, d, update->span,
                  "keep the old value, which no other work item gets: write `let %s = %s`, and `%s` instead of `%s`",
                  name, source_text(s, update->span), value, source_text(s, span));
}

/* ------------------------------------------------------------------------------------------------------------------ */

bool races_warn_again(Sema *s, Func *kernel, const RacePair *p) {
    if (p->is_agreed || (!p->if_both && !p->of_data)) return false;
    int k = atomic_side(s, p);
    const Expr *e = stale(s, p);
    if (e) {
        const char *name = source_text(s, e->atomic.target->span);
        Diag *d = diag(s->c, W0506, p->at[!k], "updates of `%s` may be lost: `%s` is read before the atomic write, so "
                                               "another work item can update it in between",
                       p->array->name, name);
        fix_stale(s, d, e);
        return true;
    }
    const Stmt *update = update_before(s, kernel, p);
    if (!update) return false;
    Diag *d = diag(s->c, W0508, p->at[!k], "data race that depends on data: other work items can update `%s` between "
                                           "the atomic update and this read; %s",
                   p->text[!k], p->reason);
    fix_read_again(s, kernel, d, p, update);
    return true;
}

bool races_remedy_again(Sema *s, const Func *kernel, Diag *d, const RacePair *p) {
    const Expr *e = stale(s, p);
    const Stmt *update = e ? NULL : update_before(s, kernel, p);
    if (e) fix_stale(s, d, e);
    if (update) fix_read_again(s, kernel, d, p, update);
    return e || update;
}
