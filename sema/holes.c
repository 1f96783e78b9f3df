/* holes.c -- type checking of a text with syntax errors: the declarations that have none are checked in the same run,
 * so that a user sees all mistakes at once. What is broken counts as unknown, and whatever may follow from that is not
 * reported: functions with a syntax error in their body are not checked, those with one in their head, and generics
 * with one anywhere, have no type; and a name that occurs in the text between the declarations may be declared
 * there. Where the parser has repaired the text as its only fix says, nothing is unknown. */
#include <ctype.h>
#include <string.h>

#include "sema/check.h"

static bool is_in_a_body(const Module *m, Span at) {
    for (int i = 0; i < m->items.n; i++) {
        const Item *item = m->items.at[i];
        bool may_have = item->kind == ITEM_FN || item->kind == ITEM_KERNEL || item->kind == ITEM_TEST;
        const Block *body = may_have ? item->fn.body : NULL;
        if (body && at.lo > body->span.lo && at.lo < body->span.hi) return true;
    }
    return false;
}

/* A missing `;` (another E0202 is a `//` that was meant to divide), and `let x: f32;`, whose tree has a `var`. */
static bool is_repaired(const Module *m, const Diag *d) {
    bool has_one_fix = d->notes.n == 1 && d->notes.at[0].fix;
    bool has_code = d->code == E0217 || (d->code == E0202 && d->span.lo == d->span.hi);
    return has_code && has_one_fix && is_in_a_body(m, d->span);
}

void holes_find(Sema *s, const Module *m) {
    for (int i = 0; i < s->c->diags.list.n; i++) {
        const Diag *d = s->c->diags.list.at[i];
        if (d->severity == SEV_ERROR && !is_repaired(m, d)) vec_push(s->arena, &s->holes, d);
    }
}

/* From the start of the line: `pub fn f()` is read as `fn f()`, with an error before it. */
static bool any_within(const Sema *s, Span whole) {
    const Source *file = s->own_file->source;
    while (whole.lo > file->base && file->text[whole.lo - file->base - 1] != '\n') whole.lo--;
    for (int i = 0; i < s->holes.n; i++)
        if (s->holes.at[i]->span.lo >= whole.lo && s->holes.at[i]->span.lo <= whole.hi) return true;
    return false;
}

/* Or statements after a `}` too many. */
static bool any_in(const Sema *s, const Item *item) {
    uint32_t next = s->own_file->source->base + (uint32_t)s->own_file->source->n;
    for (int i = 0; i < s->own_file->items.n; i++) {
        const Item *other = s->own_file->items.at[i];
        bool follows = other->kind != ITEM_ERROR && other->span.lo >= item->span.hi;
        if (follows && other->span.lo < next) next = other->span.lo;
    }
    for (int i = 0; i < s->holes.n; i++) {
        const Diag *d = s->holes.at[i];
        bool is_after = d->span.lo >= item->span.hi && d->span.lo < next;
        if (is_after && (d->code == E0219 || d->code == E0204)) return true;
    }
    return any_within(s, item->span);
}

static bool any_in_head(const Sema *s, const Item *item) {
    const Block *body = item->fn.body;
    for (int i = 0; i < s->holes.n; i++) {
        const Diag *d = s->holes.at[i];
        if (d->code == E0212 && d->span.lo >= item->span.lo && d->span.lo <= item->span.hi) return true;
    }
    bool has_text = body && body->span.hi > body->span.lo + 1;
    return has_text ? any_within(s, (Span){item->span.lo, body->span.lo}) : any_within(s, item->span);
}

bool holes_in_body(const Sema *s, const Item *item) { return s->holes.n && any_in(s, item); }

bool holes_hide(const Sema *s, const Item *item) {
    if (!s->holes.n) return false;
    bool is_function = item->kind == ITEM_FN || item->kind == ITEM_KERNEL;
    if (!is_function) return any_in(s, item);
    const unsigned meets = 1u << STMT_BARRIER | 1u << STMT_SHARED;
    bool is_pattern = item->fn.generics.n || has_any_rank(item) || (item->fn.body && block_holds(item->fn.body, meets));
    return is_pattern ? any_in(s, item) : any_in_head(s, item);
}

static bool is_word_at(const char *text, size_t at, size_t n, size_t end) {
    bool begins = !at || !(isalnum((unsigned char)text[at - 1]) || text[at - 1] == '_');
    bool ends = at + n >= end || !(isalnum((unsigned char)text[at + n]) || text[at + n] == '_');
    return begins && ends;
}

static bool has_word(const char *text, size_t from, size_t to, Name name) {
    size_t n = strlen(name);
    for (size_t at = from; at + n <= to; at++)
        if (!memcmp(text + at, name, n) && is_word_at(text, at, n, to)) return true;
    return false;
}

static bool is_lost(const Sema *s, const Item *item) {
    bool is_lost = item->kind == ITEM_ERROR && !item->name;
    for (int i = 0; i < s->holes.n && !is_lost; i++) is_lost = s->holes.at[i]->span.lo == item->name_span.lo;
    return is_lost;
}

/* Text between declarations, and declarations that are hidden, may declare what they mention. Of `module.name`, that is
 * the module. */
bool holes_mention(Sema *s, Name name) {
    const Module *m = s->own_file;
    const Source *file = m->source;
    uint32_t from = file->base, end = file->base + (uint32_t)file->n;
    const char *dot = strchr(name, '.');
    if (!s->holes.n) return false;
    if (dot) name = arena_strndup(s->arena, name, (size_t)(dot - name));
    for (int i = 0; i <= m->items.n; i++) {
        const Item *item = i < m->items.n ? m->items.at[i] : NULL;
        if (item && (item->kind == ITEM_ERROR || holes_hide(s, item))) continue;
        uint32_t to = item ? item->span.lo : end;
        if (to > from && has_word(file->text, from - file->base, to - file->base, name)) return true;
        if (item) from = item->span.hi;
    }
    return false;
}

/* A declaration that is lost may have any name. */
bool holes_may_declare(Sema *s, Name name) {
    for (int i = 0; i < s->own_file->items.n && s->holes.n; i++)
        if (is_lost(s, s->own_file->items.at[i])) return true;
    return holes_mention(s, name);
}
