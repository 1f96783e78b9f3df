/* drawing.c -- plot(x), plot(x, y), hist(x) and image(m) at the prompt. These are not functions of the language, but
 * have the syntax of calls. Their arguments are expressions of the session, each evaluated as an input; `to "file.png"`
 * may follow. */
#include <ctype.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lexer/lexer.h"
#include "repl/commands.h"
#include "repl/show.h"

/* Sizes in pixels and in characters. */
enum { FILE_WIDTH = 1200, FILE_HEIGHT = 720, FILE_MOST = 1 << 14, SCREEN_WIDTH = 800, SCREEN_HEIGHT = 400 };
enum { TEXT_WIDTH = 100, TEXT_HEIGHT = 16, ARGUMENTS = 2 };

const char *const drawing_names[] = {"plot", "hist", "image", NULL};
typedef enum DrawingKind { DRAWING_PLOT, DRAWING_HIST, DRAWING_IMAGE } DrawingKind;

typedef struct Argument {
    size_t from, to;
} Argument;

typedef struct Drawing {
    DrawingKind kind;
    Argument arguments[ARGUMENTS];
    int n;
    char *file; /* NULL: the terminal */
} Drawing;

/* ---- parsing ---- */

static void complain(Repl *r, const char *message) {
    Buf text = {0};
    buf_printf(&text, "%s\n", message);
    repl_complain(r, &text);
}

static int kind_of(const char *text, size_t n) {
    while (n && (*text == ' ' || *text == '\n' || *text == '\t')) text++, n--;
    for (int i = 0; drawing_names[i]; i++) {
        size_t length = strlen(drawing_names[i]), at = length;
        if (n <= length || strncmp(text, drawing_names[i], length)) continue;
        while (at < n && text[at] == ' ') at++;
        if (at < n && (text[at] == '(' || (at > length && isalpha((unsigned char)text[at]))))
            return i; /* `plot x`: reported below */
    }
    return -1;
}

static bool is_declared(Repl *r, const char *word) {
    SessionName name;
    for (int i = 0; session_name(r->session, i, &name); i++)
        if (name.kind != 'm' && !strcmp(name.name, word)) return true; /* `import image;` does not hide image(m) */
    return false;
}

typedef struct Reader {
    Compiler c;
    Lexer lexer;
    Token token;
    uint32_t base;
} Reader;

static void step(Reader *d) { d->token = lex_next(&d->lexer); }

/* Reads arguments from after the opening bracket to after the closing one: separated by commas outside of inner
 * brackets. */
static bool read_arguments(Reader *d, Drawing *out) {
    int depth = 0;
    out->arguments[0].from = d->token.span.lo - d->base;
    for (;; step(d)) {
        int kind = d->token.kind;
        bool ends = !depth && (kind == TOK_COMMA || kind == TOK_RPAREN);
        if (kind == TOK_END || (ends && out->n == ARGUMENTS)) return false;
        if (kind == TOK_LPAREN || kind == TOK_LBRACKET || kind == TOK_LBRACE) depth++;
        if (ends) out->arguments[out->n++].to = d->token.span.lo - d->base;
        if (ends && kind == TOK_COMMA && out->n < ARGUMENTS) out->arguments[out->n].from = d->token.span.hi - d->base;
        if (ends && kind == TOK_RPAREN) break;
        if (kind == TOK_RPAREN || kind == TOK_RBRACKET || kind == TOK_RBRACE) depth--;
    }
    step(d);
    return true;
}

/* The rest of the input: nothing, `;`, or `to "file"`. */
static bool read_end(Reader *d, const char *text, Drawing *out) {
    Span word = d->token.span;
    if (d->token.kind == TOK_ID && word.hi - word.lo == 2 && !strncmp(text + (word.lo - d->base), "to", 2)) {
        step(d);
        if (d->token.kind != TOK_STR) return false;
        out->file = strndup(d->token.str.at, d->token.str.n);
        step(d);
    }
    if (d->token.kind == TOK_SEMI) step(d);
    return d->token.kind == TOK_END;
}

static bool read_drawing(const char *text, size_t n, Drawing *out) {
    Reader d;
    compiler_init(&d.c);
    Source *s = source_add(&d.c.sources, "input", text, n);
    *out = (Drawing){.kind = (DrawingKind)kind_of(text, n)};
    d.base = s->base;
    lex_init(&d.lexer, &d.c, s);
    for (int i = 0; i < 2; i++) step(&d);
    bool ok = d.token.kind == TOK_LPAREN;
    step(&d);
    ok = ok && read_arguments(&d, out) && read_end(&d, text, out) && (out->kind == DRAWING_PLOT || out->n == 1);
    if (!ok) free(out->file);
    compiler_free(&d.c);
    return ok;
}

bool drawing_is(Repl *r, const char *text, size_t n) {
    int kind = kind_of(text, n);
    return kind >= 0 && !is_declared(r, drawing_names[kind]);
}

size_t drawing_start(Repl *r, const char *text, size_t n) {
    Reader d;
    size_t start = 0;
    compiler_init(&d.c);
    Source *s = source_add(&d.c.sources, "input", text, n);
    d.base = s ? s->base : 0;
    if (s) lex_init(&d.lexer, &d.c, s);
    int depth = 0;
    for (bool ends = !s; !ends;) {
        step(&d);
        int kind = d.token.kind;
        if (kind == TOK_LPAREN || kind == TOK_LBRACKET || kind == TOK_LBRACE) depth++;
        if (kind == TOK_RPAREN || kind == TOK_RBRACKET || kind == TOK_RBRACE) depth--;
        size_t after = kind == TOK_SEMI && !depth ? d.token.span.hi - d.base : 0;
        while (after && after < n && strchr(" \t\n", text[after])) after++;
        if (after < n) start = after ? after : start; /* not the one at the end */
        ends = kind == TOK_END;
    }
    compiler_free(&d.c);
    return start && drawing_is(r, text + start, n - start) ? start : 0;
}

/* ---- data ---- */

typedef struct Numbers {
    double *at;
    int64_t n, extents[VALUE_RANK];
    int rank, lanes;
    bool is_u8, is_bool;
} Numbers;

static bool run_argument(Repl *r, const char *text, Argument a, Numbers *out) {
    Buf said = {0}, why = {0};
    SessionValue v = {0};
    while (a.from < a.to && strchr(" \n&", text[a.from])) a.from++; /* `&x`, as in arguments of functions */
    bool ok = session_run(r->session, text + a.from, a.to - a.from, &v, &said) == SESSION_DONE;
    *out = (Numbers){0};
    Elements e;
    if (ok && v.type && v.rank && elements_of(&v, &e)) {
        out->at = value_numbers(&v, &out->n);
        out->rank = v.rank;
        out->lanes = e.lanes;
        out->is_u8 = !strcmp(e.name, "u8");
        out->is_bool = !strcmp(e.name, "bool");
        memcpy(out->extents, v.extents, sizeof out->extents);
    } else if (ok) {
        buf_printf(&why, "only arrays of numbers can be plotted, but `%.*s` is %s%s\n", (int)(a.to - a.from),
                   text + a.from, !v.type || !*v.type ? "no value" : strchr("if", *v.type) ? "an " : "a ",
                   v.type ? v.type : "");
    }
    repl_complain(r, &said);
    repl_complain(r, &why);
    return out->at != NULL;
}

/* ---- output ---- */

static bool write_file(Repl *r, const char *path, const Raster *pixels) {
    Buf png = {0}, message = {0};
    graphics_png(pixels, &png);
    bool ok = repl_write_file(path, &png, &message);
    if (ok) buf_printf(&message, "%s: %d x %d pixels\n", path, pixels->width, pixels->height);
    (ok ? repl_say : repl_complain)(r, &message);
    buf_free(&png);
    return ok;
}

static void to_terminal(const Raster *pixels, Graphics how, Depth depth, Buf *out) {
    switch (how) {
    case GRAPHICS_KITTY: graphics_kitty(pixels, out); break;
    case GRAPHICS_SIXEL: graphics_sixel(pixels, out); break;
    case GRAPHICS_UNKNOWN:
    case GRAPHICS_CELLS: graphics_blocks(pixels, depth, out); break;
    }
}

static void to_sink(Repl *r, const Raster *pixels, int width, Buf *text) {
    r->sink->picture(r->to, pixels, width, text);
    text->n = 0;
}

static int at_most(int64_t n, int most) { return n < most ? (int)n : most; }

static void figure_on_screen(Repl *r, const Figure *f, Buf *out) {
    int columns, rows;
    terminal_size(&r->terminal, &columns, &rows);
    int height = at_most(rows - 6, TEXT_HEIGHT);
    figure_text(f, at_most(columns - 1, TEXT_WIDTH), height < 4 ? 4 : height, r->terminal.depth, out);
}

static bool draw_figure(Repl *r, const Drawing *d, const Figure *f) {
    Graphics how = d->file ? GRAPHICS_CELLS : terminal_graphics(&r->terminal);
    bool is_text = !d->file && how == GRAPHICS_CELLS, is_fine = d->file || r->sink;
    int width = is_fine ? FILE_WIDTH : SCREEN_WIDTH, height = is_fine ? FILE_HEIGHT : SCREEN_HEIGHT;
    Raster pixels;
    Buf out = {0};
    bool ok = true;
    if (is_text) figure_on_screen(r, f, &out);
    if ((!is_text || r->sink) && figure_pixels(f, width, height, &pixels)) {
        if (d->file) ok = write_file(r, d->file, &pixels);
        else if (r->sink) to_sink(r, &pixels, width / 2, &out);
        else to_terminal(&pixels, how, r->terminal.depth, &out);
        raster_free(&pixels);
    }
    repl_say(r, &out);
    return ok;
}

static bool draw_numbers(Repl *r, const Drawing *d, const Numbers *x, const Numbers *y) {
    Figure f;
    Buf why = {0};
    bool ok = d->kind == DRAWING_HIST ? figure_hist(&f, x->at, x->n, &why)
              : y                     ? figure_plot(&f, x->at, y->at, x->n, &why)
                                      : figure_plot(&f, NULL, x->at, x->n, &why);
    if (ok) {
        ok = draw_figure(r, d, &f);
        figure_free(&f);
    } else {
        buf_putc(&why, '\n');
        repl_complain(r, &why);
    }
    return ok;
}

/* A matrix of numbers, or of colours: three or four channels as a third dimension or as short vectors. */
static bool picture_of(const Numbers *m, Picture *p) {
    int64_t channels = m->rank == 3 ? m->extents[2] : m->lanes;
    if (m->rank != 2 && (m->rank != 3 || m->lanes != 1)) return false;
    if (channels != 1 && channels != 3 && channels != 4) return false;
    *p = (Picture){.height = m->extents[0],
                   .width = m->extents[1],
                   .channels = (int)channels,
                   .at = m->at,
                   .scaled = channels == 1 && !m->is_u8 && !m->is_bool,
                   .white = m->is_u8 ? 255 : 1};
    return true;
}

/* The largest size: in files one pixel for each element, on a terminal what fits. */
static void picture_room(Repl *r, const Drawing *d, const Picture *p, Graphics how, int *width, int *height) {
    int columns, rows;
    terminal_size(&r->terminal, &columns, &rows);
    if (d->file) picture_size(p, at_most(p->width, FILE_MOST), at_most(p->height, FILE_MOST), width, height);
    else if (how != GRAPHICS_CELLS || r->sink) picture_size(p, SCREEN_WIDTH, SCREEN_HEIGHT, width, height);
    else picture_size(p, at_most(columns - 1, TEXT_WIDTH), 2 * (rows > 8 ? rows - 4 : 4), width, height);
}

static bool draw_picture(Repl *r, const Drawing *d, const Picture *p) {
    Graphics how = d->file ? GRAPHICS_CELLS : terminal_graphics(&r->terminal);
    int width, height;
    Raster pixels;
    Buf out = {0};
    bool ok = true;
    picture_room(r, d, p, how, &width, &height);
    if (!picture_pixels(p, width, height, &pixels)) return false;
    if (d->file) {
        ok = write_file(r, d->file, &pixels);
    } else {
        if (r->sink) buf_printf(&out, "image of %lld x %lld\n", (long long)p->height, (long long)p->width);
        else to_terminal(&pixels, how, r->terminal.depth, &out);
        picture_legend(p, r->terminal.depth, &out);
    }
    if (r->sink && out.n) to_sink(r, &pixels, width, &out);
    repl_say(r, &out);
    raster_free(&pixels);
    return ok;
}

static bool draw_image(Repl *r, const Drawing *d, const Numbers *m) {
    Picture p;
    Buf why = {0};
    if (!picture_of(m, &p))
        buf_puts(&why, "an image needs a matrix of numbers, or an array with 3 or 4 channels as its third dimension");
    else if (picture_look(&p, &why)) return draw_picture(r, d, &p);
    buf_putc(&why, '\n');
    repl_complain(r, &why);
    return false;
}

static bool is_row(const Numbers *x) { return x->rank == 1 && x->lanes == 1; }

static bool draw(Repl *r, const Drawing *d, const Numbers *numbers) {
    if (d->kind == DRAWING_IMAGE) return draw_image(r, d, &numbers[0]);
    if (d->kind == DRAWING_PLOT && !(is_row(&numbers[0]) && (d->n == 1 || is_row(&numbers[1])))) {
        complain(r, "plot needs a one-dimensional array; use image(m) for a matrix, or copy(&m[i, ..]) for a row");
        return false;
    }
    if (d->n == 2 && numbers[0].n != numbers[1].n) {
        Buf why = {0};
        buf_printf(&why, "plot(x, y) needs arrays of the same length, but these have %lld and %lld elements\n",
                   (long long)numbers[0].n,
                   (long long)numbers[1].n);
        repl_complain(r, &why);
        return false;
    }
    return draw_numbers(r, d, &numbers[0], d->n == 2 ? &numbers[1] : NULL);
}

bool drawing_run(Repl *r, const char *text, size_t n) {
    Drawing d;
    Numbers numbers[ARGUMENTS] = {0};
    if (!read_drawing(text, n, &d)) {
        complain(r, "use plot(y), plot(x, y), hist(x) or image(m), and add to \"file.png\" to save the plot");
        return false;
    }
    bool ok = true;
    for (int i = 0; i < d.n && ok; i++) ok = run_argument(r, text, d.arguments[i], &numbers[i]);
    ok = ok && draw(r, &d, numbers);
    for (int i = 0; i < ARGUMENTS; i++) free(numbers[i].at);
    free(d.file);
    return ok;
}
