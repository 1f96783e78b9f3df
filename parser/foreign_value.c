/* foreign_value.c -- values as other languages write them: shapes of NumPy, limits of types and conversions of Rust. */
#include <ctype.h>

#include "parser/mistakes.h"

/* The operand that ends at `end`: a text or a name. */
static Span operand_before(const Feed *f, uint32_t end) {
    const Source *s = f->lexer.source;
    uint32_t n = end - s->base, at = n;
    if (at && s->text[at - 1] == '"')
        for (at--; at && s->text[at - 1] != '"' && s->text[at - 1] != '\n';) at--;
    else
        while (at && (isalnum((unsigned char)s->text[at - 1]) || strchr("_.", s->text[at - 1]))) at--;
    if (at < n && s->text[n - 1] == '"') at -= at > 0;
    return (Span){s->base + at, end};
}

/* `np.zeros((4, 4))`, at the first comma of the inner brackets */
void fix_shape(Feed *f, Diag *d, const Token *comma) {
    static const char *const names[] = {"zeros", "ones", "empty"}, *const values[] = {"0.0", "1.0", "0.0"};
    const Source *s = f->lexer.source;
    if (f->open.n < 2 || f->open.at[f->open.n - 2].kind != TOK_LPAREN) return;
    Span inner = f->open.at[f->open.n - 1].span, outer = f->open.at[f->open.n - 2].span;
    if (outer.hi != inner.lo) return;
    Span callee = operand_before(f, outer.lo);
    const char *path = text_of(f, callee), *dot = strrchr(path, '.'), *name = dot ? dot + 1 : path;
    uint32_t at = comma->span.hi - s->base;
    while (at < s->n && s->text[at] != ')' && s->text[at] != '\n') at++;
    if (at + 1 >= s->n || s->text[at] != ')' || s->text[at + 1] != ')') return;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (strcmp(name, names[i])) continue;
        const char *extents = text_of(f, (Span){inner.hi, s->base + at});
        diag_note(f->c, d, comma->span, "the extents of an array are a list: `[0.0; n, m]`");
        diag_fix(f->c, d, (Span){callee.lo, s->base + at + 2},
                 arena_printf(f->p.arena, "[%s; %s]", values[i], extents), "fill an array");
    }
}

/* `f32::MAX`: the constant of KDSL; NULL: none. */
static const char *limit_of(const char *text) {
    static const struct {
        const char *theirs, *ours;
    } limits[] = {
        {"f32::MAX", "math.F32_MAX"}, {"f32::MIN", "-math.F32_MAX"}, {"f32::EPSILON", "math.F32_EPSILON"},
        {"f64::MAX", "math.F64_MAX"}, {"f64::MIN", "-math.F64_MAX"}, {"f64::EPSILON", "math.F64_EPSILON"},
        {"i32::MAX", "math.I32_MAX"}, {"i32::MIN", "math.I32_MIN"}, {"i64::MAX", "math.I64_MAX"},
        {"i64::MIN", "math.I64_MIN"}, {"index::MAX", "math.I64_MAX"}, {"u8::MAX", "255u8"}, {"u16::MAX", "65535u16"},
        {"u32::MAX", "4294967295u32"}, {"u64::MAX", "18446744073709551615u64"}, {"f64::INFINITY", "math.INF"},
        {"f32::INFINITY", "f32(math.INF)"}, {"f32::NEG_INFINITY", "f32(-math.INF)"}, {"f64::NEG_INFINITY", "-math.INF"},
    };
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++)
        if (!strcmp(limits[i].theirs, text)) return limits[i].ours;
    return NULL;
}

/* `f32::MAX`, at the first `:` */
bool limit_of_type(Feed *f, Repair *repair) {
    const char *type = foreign_type(&f->prev);
    Token second = feed_take(f), name = feed_peek(f);
    bool is_limit = type && name.kind == TOK_ID;
    const char *ours = is_limit ? limit_of(arena_printf(f->p.arena, "%s::%s", type, name.name)) : NULL;
    if (!ours) {
        feed_unread(f, second);
        return false;
    }
    feed_take(f);
    Span whole = span_join(f->prev.span, name.span);
    Diag *d = diag(f->c, E0216, whole, "a type has no constants: `math` has the limits of types, as `math.F32_MAX`");
    diag_fix(f->c, d, whole, ours, strstr(ours, "math") ? "after `import math;`" : "write the number");
    *repair = REPAIR_DROP;
    return true;
}

/* `"12".parse::<i32>()`, `s.parse::<f64>().unwrap()`, at the first `:` */
bool parse_of_rust(Feed *f) {
    if (!is_name(&f->prev, "parse") || f->prev2.kind != TOK_DOT) return false;
    Token taken[9];
    int n = 0;
    while (n < 9) {
        taken[n] = feed_take(f);
        if (taken[n].first_on_line || taken[n].kind == TOK_END) {
            feed_unread(f, taken[n]);
            break;
        }
        n++;
    }
    for (int i = n; i-- > 0;) feed_unread(f, taken[i]);
    bool fits = n >= 6 && taken[1].kind == TOK_LT && foreign_type(&taken[2]) && taken[3].kind == TOK_GT &&
                taken[4].kind == TOK_LPAREN && taken[5].kind == TOK_RPAREN;
    if (!fits) return false;
    bool unwraps = n == 9 && taken[6].kind == TOK_DOT && is_name(&taken[7], "unwrap") && taken[8].kind == TOK_LPAREN;
    Span value = operand_before(f, f->prev2.span.lo);
    const char *text = arena_printf(f->p.arena, "%s(%s)", foreign_type(&taken[2]), text_of(f, value));
    Diag *d = diag(f->c, E0216, span_join(f->prev.span, taken[5].span), "convert a text with the name of a type: `%s`",
                   text);
    uint32_t end = unwraps ? taken[8].span.hi + 1 : taken[5].span.hi; /* with its `)` */
    if (value.hi > value.lo) diag_fix(f->c, d, (Span){value.lo, end}, text, "convert it");
    return true;
}
