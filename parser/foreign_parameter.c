/* foreign_parameter.c -- parameters as other languages write them: `double *y`, `const float x[]`, `int n`,
 * `y: double[]`, `std::vector<double> &x`. Each is reported with its replacement, and parsing continues, so that all of
 * a head are reported together.
 *
 * C passes the length of an array as another parameter. Arrays of KDSL have their length: the replacements name it in
 * their shapes, and the parameter is left out. */
#include <ctype.h>

#include "parser/declarator.h"

/* The parameters from the `(` on, and what follows them. */
typedef struct Head {
    Tokens all;
    int close;     /* index of the `)` */
    const char *length; /* of the arrays that do not tell theirs: `n`; `_`: nobody knows */
} Head;

static int next_parameter(const Head *h, int at) {
    int comma = tokens_find(&h->all, at, TOK_COMMA);
    return comma < h->close ? comma + 1 : h->close;
}

static bool ends_parameter(const Tokens *p, int at) {
    int kind = tokens_kind(p, at);
    return kind == TOK_COMMA || kind == TOK_RPAREN || kind == TOK_ASSIGN;
}

/* `y: double[]`, but not `std::size_t n` */
static bool has_name_first(const Tokens *p, int at) {
    return tokens_name(p, at) && tokens_kind(p, at + 1) == TOK_COLON && tokens_kind(p, at + 2) != TOK_COLON;
}

/* The parameter whose first token is number `at`. `y: double[]` of KDSL, too; false: it cannot be read. */
static bool read_parameter(Feed *f, const Head *h, int at, Declared *d) {
    const Tokens *p = &h->all;
    *d = (Declared){0};
    int end;
    if (has_name_first(p, at)) {
        d->name = p->at[at].name;
        end = declared_after_name(f, p, at + 2, d);
    } else {
        end = declared_type(f, p, at, d);
        if (end >= 0) end = declarator(f, p, end, d);
    }
    if (end < 0 || !d->type || !ends_parameter(p, end)) return false;
    d->span = span_join(p->at[at].span, p->at[end - 1].span);
    return true;
}

static bool is_array(const Declared *d) { return d->n_pointers || d->n_extents; }

/* A number that could be a length */
static bool is_count(const Declared *d) {
    bool is_value = !is_array(d) && !d->is_reference && !d->is_own && !d->is_void && !d->mode;
    return is_value && (!strcmp(d->type, "index") || (strchr("iu", d->type[0]) && !strchr(d->type, 'x')));
}

static bool find_parameter(Feed *f, const Head *h, const char *name, Declared *d) {
    for (int at = 1; at < h->close; at = next_parameter(h, at))
        if (read_parameter(f, h, at, d) && !strcmp(d->name, name)) return true;
    return false;
}

/* ---- lengths ---- */

static bool sounds_like_length(const char *name) {
    static const char *const words[] = {"n", "N", "cnt", "elements", "nelem"};
    static const char *const parts[] = {"size", "len", "num", "count", "n_"};
    bool sounds = false;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) sounds |= !strcmp(name, words[i]);
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) sounds |= strstr(name, parts[i]) != NULL;
    return sounds;
}

typedef struct Domain {
    int n_variables;
    const char *name;  /* of the one variable's range; NULL: it has none */
    const char *names; /* of all ranges: `n, m` */
} Domain;

/* `over i in n, j in 1..m - 1` */
static Domain read_domain(Feed *f, const Head *h) {
    const Tokens *p = &h->all;
    Domain domain = {.names = ""};
    bool has_name = true;
    for (int i = h->close + 1; tokens_kind(p, h->close + 1) == TOK_OVER && i < p->n; i++) {
        int kind = tokens_kind(p, i);
        if (kind == TOK_LBRACE || kind == TOK_ARROW || kind == TOK_ASSUME) break;
        if (kind == TOK_IN) domain.n_variables++, has_name = false;
        bool is_range = kind == TOK_ID && domain.n_variables && !has_name && tokens_kind(p, i + 1) != TOK_IN;
        if (!is_range || tokens_kind(p, i + 1) == TOK_LPAREN) continue;
        has_name = true;
        domain.name = p->at[i].name;
        domain.names = arena_printf(f->p.arena, "%s%s%s", domain.names, *domain.names ? ", " : "", p->at[i].name);
    }
    if (domain.n_variables != 1) domain.name = NULL;
    return domain;
}

/* With several numbers of which none counts the work items, the length of an array may be any of them, or a product. */
static const char *length_of_arrays(Feed *f, const Head *h) {
    Domain domain = read_domain(f, h);
    const char *sounds = NULL;
    int n_counts = 0, n_sound = 0;
    Declared d;
    if (f->first.kind == TOK_EXTERN) return "_"; /* a function of C gets no lengths but its parameters */
    for (int at = 1; at < h->close; at = next_parameter(h, at)) {
        if (!read_parameter(f, h, at, &d) || !is_count(&d)) continue;
        n_counts++;
        if (sounds_like_length(d.name)) n_sound++, sounds = d.name;
    }
    if (domain.name && (!find_parameter(f, h, domain.name, &d) || is_count(&d))) return domain.name;
    if (domain.n_variables > 1) return n_counts ? "_" : domain.names;
    if (n_sound == 1) return sounds;
    return n_counts > 1 || find_parameter(f, h, "n", &d) ? "_" : "n";
}

static bool is_letter(char ch) { return isalnum((unsigned char)ch) || ch == '_'; }

/* `n`, `10`, `n + 1`: what a shape may have; but no parameter of a function of C. */
static bool is_extent(Feed *f, const Head *h, const char *text) {
    size_t n = 0;
    Declared d;
    while (is_letter(text[n])) n++;
    const char *rest = text + n + strspn(text + n, " ");
    if (f->first.kind == TOK_EXTERN && find_parameter(f, h, arena_strndup(f->p.arena, text, n), &d)) return false;
    if (!*rest) return n > 0;
    return n && strchr("+-", *rest) && !rest[1 + strspn(rest + 1, " 0123456789")];
}

/* The extents of an array, as its shape has them. */
static const char *shape_of(Feed *f, const Head *h, const Declared *d) {
    const char *text = "", *length = d->n_extents + d->n_pointers > 1 && strchr(h->length, ',') ? "_" : h->length;
    for (int i = -d->n_pointers; i < d->n_extents; i++) {
        const char *extent = i < 0 || !d->extents[i] ? length : is_extent(f, h, d->extents[i]) ? d->extents[i] : "_";
        text = arena_printf(f->p.arena, "%s%s%s", text, *text ? ", " : "", extent);
    }
    return text;
}

/* The array that has the parameter `name` as an extent; NULL: none. */
static Name array_with_length(Feed *f, const Head *h, Name name) {
    size_t n = strlen(name);
    Declared d;
    for (int at = 1; at < h->close; at = next_parameter(h, at)) {
        if (!read_parameter(f, h, at, &d) || !is_array(&d)) continue;
        for (const char *shape = shape_of(f, h, &d); *shape; shape += strcspn(shape, ","), shape += strspn(shape, ", "))
            if (!strncmp(shape, name, n) && !is_letter(shape[n])) return d.name;
    }
    return NULL;
}

/* ---- messages ---- */

/* A pointer to one value: the body never has an index on it. */
static bool is_single(const Head *h, const Declared *d) {
    Uses uses = uses_of(&h->all, h->close, d->name);
    bool is_pointer = d->n_pointers == 1 && !d->n_extents && !d->is_vector && !d->is_void;
    return is_pointer && !uses.has_elements && (uses.is_pointer || d->is_own);
}

/* `const char *name` of a function that never uses a single character */
static bool is_text(const Head *h, const Declared *d) {
    bool is_kernel = tokens_kind(&h->all, h->close + 1) == TOK_OVER;
    return d->is_char && d->is_const && d->n_pointers == 1 && !d->n_extents && !is_kernel &&
           !uses_of(&h->all, h->close, d->name).has_elements;
}

static bool is_of_rows(const Declared *d) {
    return d->n_pointers > 1 || (d->n_pointers && d->n_extents && !d->is_vector);
}

/* Does the body only read the elements, and pass the array to nobody? */
static bool is_read_only(const Head *h, const Declared *d) {
    Uses uses = uses_of(&h->all, h->close, d->name);
    return uses.has_elements && !uses.writes_elements && !uses.is_passed && !uses.is_pointer;
}

/* Its type in KDSL. */
static const char *type_of(Feed *f, const Head *h, const Declared *d, bool has_colon) {
    const char *mode = d->is_const || is_read_only(h, d) ? "&" : "&mut ";
    if (is_text(h, d)) return "str";
    if (d->mode) mode = d->mode;
    else if (has_colon && !uses_of(&h->all, h->close, d->name).writes_elements) mode = "&";
    else if (d->is_vector && !d->is_reference && !d->n_pointers) mode = "&"; /* a copy */
    if (is_single(h, d) || (d->is_reference && !is_array(d))) {
        bool by_value = d->is_const && !d->is_own;
        return by_value ? d->type : arena_printf(f->p.arena, "%s%s", mode, d->type);
    }
    if (!is_array(d)) return d->type;
    Declared flat = *d;
    if (d->is_vector) flat.n_pointers = 0;
    return arena_printf(f->p.arena, "%s[%s; %s]", mode, d->is_void ? "f32" : d->type, shape_of(f, h, &flat));
}

/* `int n`, where `n` is the length of an array: at the comma before it, or up to the next parameter. */
static void say_length(Feed *f, const Head *h, int at, const Declared *d, Name array) {
    const Token *before = &h->all.at[at - 1];
    int next = next_parameter(h, at);
    Span whole = {before->span.lo, d->span.hi};
    if (before->kind == TOK_LPAREN) whole = (Span){d->span.lo, next < h->close ? h->all.at[next].span.lo : d->span.hi};
    Diag *said = diag(f->c, E0210, d->span, "leave out the parameter `%s`: it is the length of the array `%s`", d->name,
                      array);
    diag_fix(f->c, said, whole, "",
             f->first.kind == TOK_EXPORT ? "callers in C still pass it, after the other arguments"
                                         : "every array has its length");
}

static void say_parameter(Feed *f, const Head *h, int at, const Declared *d) {
    bool has_colon = has_name_first(&h->all, at);
    Name array = is_count(d) ? array_with_length(f, h, d->name) : NULL;
    if (array) {
        say_length(f, h, at, d, array);
        return;
    }
    const char *type = type_of(f, h, d, has_colon), *theirs = text_of(f, d->span);
    const char *ours = arena_printf(f->p.arena, "%s: %s", d->name, type);
    if (is_of_rows(d)) {
        Diag *said = diag(f->c, E0221, d->span, "there are no pointers; pass a matrix as one array: `%s: %s[%s; n, m]`",
                          d->name, d->is_const ? "&" : "&mut ", d->type);
        diag_note(f->c, said, d->span, "C passes a pointer to its first element; the rows follow one another");
        return;
    }
    if (d->n_pointers) {
        Diag *said = diag(f->c, E0221, d->span, "there are no pointers; write `%s` as `%s`", theirs, ours);
        if (d->is_void) diag_note(f->c, said, d->span, "instead of `void`, name the type of the elements");
        else diag_fix(f->c, said, d->span, ours, "%s", is_text(h, d)     ? "a text is a `str`"
                                                       : is_single(h, d) ? "pass a reference"
                                                                         : "pass an array");
        return;
    }
    Diag *said = d->is_vector ? diag(f->c, E0216, d->span, "an array is passed by reference: `%s`", ours)
                 : d->is_slice
                     ? diag(f->c, E0201, d->span, "the extents are missing; write an array type as `%s`", type)
                 : has_colon ? diag(f->c, E0216, d->span, "write an array type as `%s`", type)
                             : diag(f->c, E0210, d->span, "the type comes after the name: `%s`", ours);
    diag_fix(f->c, said, d->span, ours, *type == '&' ? "pass a reference" : "write the name first");
}

/* ---- where the parser is ---- */

/* Is the parser between the brackets of a list of parameters, in a name or a type? */
static bool in_parameters(const Feed *f) {
    bool is_list = f->open.n && f->open.at[0].kind == TOK_LPAREN &&
                   (f->open.n == 1 || (f->open.n == 2 && f->open.at[1].kind == TOK_LBRACKET));
    return is_list && !at_expression(f) && !after_expression(f);
}

/* `int main(int argc, char **argv)`: at the first parameter; at the `)` then. */
static int say_arguments(Feed *f, const Head *h) {
    uint32_t open = h->all.at[0].span.lo - f->lexer.source->base;
    if (open < 5 || memcmp(f->lexer.source->text + open - 5, " main", 5)) return 0;
    Span whole = span_join(h->all.at[1].span, h->all.at[h->close - 1].span);
    Diag *said = diag(f->c, E0216, whole, "`main` takes no parameters: `args()` has the arguments of the program");
    diag_fix(f->c, said, whole, "", "`len(args())` is their number, `args()[0]` the first");
    return h->close;
}

bool foreign_parameter(Feed *f, Token *t, Repair *repair) {
    if (!in_parameters(f)) return false;
    Head h = {.all = tokens_of_item(f, f->open.at[0].span.lo)};
    h.close = tokens_find(&h.all, 1, TOK_RPAREN);
    int at = 1, next;
    while ((next = next_parameter(&h, at)) < h.close && h.all.at[next].span.lo <= t->span.lo) at = next;
    Declared d;
    if (h.close >= h.all.n || !read_parameter(f, &h, at, &d) || d.span.hi <= t->span.lo) return false;
    bool has_colon = has_name_first(&h.all, at), is_go = d.is_own && foreign_type(&h.all.at[at + 1]); /* `x f32` */
    bool is_ours = has_colon && (d.is_shape || !is_array(&d) || (d.mode && !d.n_pointers && d.is_slice));
    if (is_ours || is_go) return false;
    h.length = length_of_arrays(f, &h);
    int close = say_arguments(f, &h);
    if (!close) say_parameter(f, &h, at, &d);
    uint32_t after = close ? h.all.at[close].span.lo : d.span.hi;
    Token end = *t;
    while (end.span.lo < after && end.kind != TOK_END) end = feed_take(f);
    declared_complete(f, d.name);
    *t = end;
    *repair = REPAIR_RETRY;
    return true;
}

void note_loop(Feed *f, Diag *d, const Token *t) {
    Tokens p = tokens_of_item(f, t->span.lo);
    int at = tokens_find(&p, 1, TOK_FOR);
    if (at >= p.n) return;
    diag_note(f->c, d, p.at[at].span, "the domain replaces this loop: each work item is one iteration");
    diag_note(f->c, d, t->span, "to keep the loop, declare a function with `fn` instead of `kernel`");
}
