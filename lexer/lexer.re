/* lexer.re -- the lexical rules, as a re2c specification; literal.c decodes literals.
 *
 * Built by: re2c -W -Werror --no-generation-date -o lexer.c lexer.re (3.0 or later). The whole text is in memory with a
 * NUL at its limit, so no rule can read past the end (re2c:eof). Patterns match bytes: names are ASCII, and stray_utf8
 * and stray_byte report all other bytes outside strings and comments. */
#include "lexer/lexer.h"

#include <string.h>

typedef const unsigned char *Cursor;

static Span span_of(const Lexer *lx, Cursor lo, Cursor hi) {
    Cursor begin = (Cursor)lx->source->text;
    return (Span){lx->source->base + (uint32_t)(lo - begin), lx->source->base + (uint32_t)(hi - begin)};
}

static Token token(Lexer *lx, int kind, Cursor start) {
    Token t = {.kind = kind, .span = span_of(lx, start, lx->cursor), .first_on_line = lx->first_on_line};
    lx->first_on_line = false;
    return t;
}

static Token name(Lexer *lx, Cursor start) {
    Token t = token(lx, TOK_ID, start);
    size_t n = (size_t)(lx->cursor - start);
    if (n > LEX_MAX_NAME_BYTES) {
        diag(lx->c, E0112, t.span, "a name of %zu characters is too long; the limit is %d", n, LEX_MAX_NAME_BYTES);
        t.broken = true;
        n = LEX_MAX_NAME_BYTES;
    }
    t.name = name_intern(&lx->c->names, (const char *)start, n);
    t.kind = lex_keyword(lx, t.name);
    return t;
}

static Token string(Lexer *lx, Cursor start, bool terminated) {
    Token t = token(lx, TOK_STR, start);
    Cursor end = terminated ? lx->cursor - 1 : lx->cursor;
    if (!terminated) {
        Diag *d = diag(lx->c, E0105, t.span, "the closing `\"` of this string is missing");
        Cursor close = lx->cursor; /* `print("hello);`: the last characters are probably not part of the string */
        while (close > start + 1 && strchr(" \r;)", close[-1])) close--;
        diag_fix(lx->c, d, span_of(lx, close, close), "\"", "close the string here, or earlier");
        t.broken = true;
    }
    lex_string(lx, &t, (const char *)start + 1, (size_t)(end - start - 1));
    return t;
}

/* Skips a comment after its opener was read; comments nest. false: the text ends inside the comment. */
static bool skip_comment(Lexer *lx) {
    Cursor at = lx->cursor;
    for (int depth = 1; at < lx->limit; at++) {
        if (*at == '\n') lx->first_on_line = true;
        if (at[0] == '/' && at[1] == '*') depth++, at++;
        else if (at[0] == '*' && at[1] == '/' && at++ && !--depth) return lx->cursor = at + 1, true;
    }
    lx->cursor = lx->limit;
    return false;
}

/* Characters by which word processors and web pages replace ASCII characters. */
static const struct { uint32_t code_point; const char *instead, *name; } look_alikes[] = {
    {0x201C, "\"", "left double quote"}, {0x201D, "\"", "right double quote"}, {0x2018, "\"", "left single quote"},
    {0x2019, "\"", "right single quote"}, {0x2212, "-", "minus sign"}, {0x2013, "-", "en dash"},
    {0x2014, "-", "em dash"}, {0xD7, "*", "multiplication sign"}, {0xB7, "*", "middle dot"},
    {0xF7, "/", "division sign"}, {0x2264, "<=", "less than or equal"}, {0x2265, ">=", "greater than or equal"},
    {0x2260, "!=", "not equal"}, {0x2192, "->", "arrow"}, {0xA0, " ", "no-break space"},
    {0x3000, " ", "ideographic space"}, {0xFF1B, ";", "fullwidth semicolon"}, {0xFF08, "(", "fullwidth parenthesis"},
    {0xFF09, ")", "fullwidth parenthesis"}, {0xFF0C, ",", "fullwidth comma"}, {0x2026, "..", "ellipsis"},
    {0xFEFF, "", "byte order mark"}, {0x200B, "", "zero-width space"}, {0x200C, "", "zero-width non-joiner"},
    {0x200D, "", "zero-width joiner"},
};

static void say_not_ascii(Lexer *lx, Span span, const char *text, int length, uint32_t code_point) {
    for (size_t i = 0; i < sizeof look_alikes / sizeof *look_alikes; i++) {
        if (look_alikes[i].code_point != code_point) continue;
        Span one = {span.lo, span.lo + (uint32_t)length};
        Diag *d = diag(lx->c, E0102, span, "unexpected character `%.*s` (U+%04X, %s)", length, text, code_point,
                       look_alikes[i].name);
        diag_fix(lx->c, d, one, look_alikes[i].instead, "use the ASCII character");
        return;
    }
    if (code_point < 0xA0) diag(lx->c, E0102, span, "unexpected control character U+%04X", code_point);
    else diag(lx->c, E0102, span, "`%.*s` (U+%04X): names are made of ASCII letters, digits and `_`", length, text,
              code_point);
}

/* One message for a run of non-ASCII bytes. */
static Token stray_utf8(Lexer *lx, Cursor start) {
    const char *text = (const char *)start;
    size_t n = (size_t)(lx->limit - start), at = 0;
    uint32_t first = 0, code_point;
    int first_length = utf8_decode(text, n, &first), length;
    if (first_length) {
        while (at < n && start[at] >= 0x80 && (length = utf8_decode(text + at, n - at, &code_point)))
            at += (size_t)length;
    } else {
        while (at < n && start[at] >= 0x80 && !utf8_decode(text + at, n - at, &code_point)) at++;
    }
    lx->cursor = start + at;
    Token t = token(lx, TOK_BAD, start);
    if (first_length) say_not_ascii(lx, t.span, text, first_length, first);
    else diag(lx->c, E0103, t.span, "byte 0x%02X is not UTF-8; is this a text file?", *start);
    return t;
}

/* `#define N 10` becomes `const N = 10;`; a header of C has nothing that is not built in. */
static void fix_foreign_line(Lexer *lx, Diag *d, Cursor start, const char *word) {
    const char *at = (const char *)start, *end = memchr(at, '\n', (size_t)(lx->limit - start));
    if (!end) end = (const char *)lx->limit;
    if (!*word) {
        diag_fix(lx->c, d, span_of(lx, start, start + 1), "//", "write a comment with `//`");
        return;
    }
    const char *text = at + 1;
    while (*text == ' ') text++;
    text += strlen(word);
    for (const char *stop = text; stop + 1 < end; stop++)
        if (stop[0] == '/' && stop[1] == '/') end = stop;
    while (end > text && strchr(" \t\r", end[-1])) end--;
    Span whole = span_of(lx, start, (Cursor)end);
    if (!strcmp(word, "include") && memchr(text, '<', (size_t)(end - text)))
        diag_fix(lx->c, d, whole, "", "mathematics, files and text are built in");
    const char *quote = memchr(text, '"', (size_t)(end - text));
    size_t n = quote ? strspn(quote + 1, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") : 0;
    if (!strcmp(word, "include") && n && strchr(".\"", quote[n + 1]))
        diag_fix(lx->c, d, whole, arena_printf(&lx->c->arena, "import %.*s;", (int)n, quote + 1), "import the module");
    if (strcmp(word, "define")) return;
    const char *name = text + strspn(text, " \t"), *value = name + strcspn(name, " \t(\n");
    const char *first = value + strspn(value, " \t");
    if (*value == '(' || first >= end || value == name) return;
    diag_fix(lx->c, d, whole, arena_printf(&lx->c->arena, "const %.*s = %.*s;", (int)(value - name), name,
                                           (int)(end - first), first), "declare a constant");
}

/* A comment of Python or the shell, a preprocessor line or a decorator: one message, and the line is skipped. */
static void skip_foreign_line(Lexer *lx, Cursor start) {
    static const struct { const char *word, *message; } lines[] = {
        {"include", "there is no `#include`; import a module: `import math;`"},
        {"define", "there is no `#define`; declare a constant: `const N = 10;`"},
        {"if", "there is no preprocessor"},
        {"endif", "there is no preprocessor"},
        {"pragma", "there are no pragmas; write a kernel and launch it with `offload` to run in parallel"},
        {"[", "there are no attributes"},
        {"", "unexpected `#`; a comment begins with `//`"},
    };
    Cursor at = start + 1;
    while (*at == ' ') at++;
    size_t i = 0;
    while (strncmp((const char *)at, lines[i].word, strlen(lines[i].word))) i++;
    const char *message = *start == '@' ? "there are no decorators, attributes or macros" : lines[i].message;
    Diag *d = diag(lx->c, E0101, span_of(lx, start, start + 1), "%s", message);
    if (*start == '#') fix_foreign_line(lx, d, start, lines[i].word);
    while (lx->cursor < lx->limit && *lx->cursor != '\n') lx->cursor++;
}

static Token stray_byte(Lexer *lx, Cursor start) {
    Cursor at = start + 1;
    if (*start < 0x20 || *start == 0x7F)
        while (at < lx->limit && *at == *start) at++; /* one message for a run of zeros */
    const char *quote = *start == '`' ? strpbrk((const char *)at, "`\n") : NULL;
    if (quote && *quote == '`') at = (Cursor)quote + 1; /* `x = ${x}` of JavaScript */
    lx->cursor = at;
    Token t = token(lx, TOK_BAD, start);
    if (quote && *quote == '`')
        diag(lx->c, E0101, t.span, "a string is written in double quotes; write `print(\"x = {}\", x)`");
    else if (!*start) diag(lx->c, E0104, t.span, "a zero byte; is this a text file?");
    else if (*start < 0x20 || *start == 0x7F)
        diag(lx->c, E0101, t.span, "unexpected control character 0x%02X", *start);
    else if (*start == '?')
        lex_fix_choice(lx, diag(lx->c, E0101, t.span, "there is no `?:` operator; write `if c { a } else { b }`"),
                       t.span);
    else diag(lx->c, E0101, t.span, "unexpected character `%c`", *start);
    return t;
}

/* 'x': there is no character type; one message for the whole literal. */
static Token quoted(Lexer *lx, Cursor start) {
    Token t = string(lx, start, true);
    Diag *d = diag(lx->c, E0111, t.span, "single quotes are not used in KDSL");
    if (!memchr(start, '"', (size_t)(lx->cursor - start))) {
        int n = (int)(lx->cursor - start - 2);
        diag_fix(lx->c, d, t.span, arena_printf(&lx->c->arena, "\"%.*s\"", n, (const char *)start + 1),
                 "write a text in double quotes");
    }
    t.broken = true;
    return t;
}

Token lex_next(Lexer *lx) {
    Cursor start, marker = lx->cursor;
    for (;;) {
        start = lx->cursor;
        /*!re2c
        re2c:api:style = free-form;
        re2c:define:YYCTYPE  = "unsigned char";
        re2c:define:YYCURSOR = lx->cursor;
        re2c:define:YYLIMIT  = lx->limit;
        re2c:define:YYMARKER = marker;
        re2c:yyfill:enable = 0;
        re2c:eof = 0;

        digits   = [0-9] [0-9_]*;
        exponent = [eE] [+-]? digits;
        letter   = [a-zA-Z_];
        word     = letter [a-zA-Z0-9_]*;

        *                {
            if (*start != '#' && !(*start == '@' && lx->first_on_line))
                return *start >= 0x80 ? stray_utf8(lx, start) : stray_byte(lx, start);
            skip_foreign_line(lx, start);
            continue;
        }
        $                { return token(lx, TOK_END, start); }

        [ \t\r\v\f]+     { continue; }
        "\n"             { lx->first_on_line = true; continue; }
        "//" [^\n]*      { continue; }
        "/*"             {
            if (skip_comment(lx)) continue;
            diag(lx->c, E0106, span_of(lx, start, start + 2), "the comment that begins here is not closed");
            lx->incomplete = true;
            return token(lx, TOK_BAD, start);
        }

        word             { return name(lx, start); }
        digits "." digits exponent? word? | digits exponent word? {
            Token t = token(lx, TOK_FLOAT, start);
            lex_float(lx, &t, (const char *)start, (size_t)(lx->cursor - start));
            return t;
        }
        [0-9] [0-9a-zA-Z_]* { // whatever is wrong inside is one error over the whole word
            Token t = token(lx, TOK_INT, start);
            lex_number(lx, &t, (const char *)start, (size_t)(lx->cursor - start));
            return t;
        }
        ["] ([^"\\\n] | "\\" [^\n])* ["] { return string(lx, start, true); }
        ["] ([^"\\\n] | "\\" [^\n])* "\\"? { return string(lx, start, false); }
        ['] ([^'\\\n] | "\\" [^\n]){1,10} ['] { return quoted(lx, start); }

        "("   { return token(lx, TOK_LPAREN, start); }
        ")"   { return token(lx, TOK_RPAREN, start); }
        "["   { return token(lx, TOK_LBRACKET, start); }
        "]"   { return token(lx, TOK_RBRACKET, start); }
        "{"   { return token(lx, TOK_LBRACE, start); }
        "}"   { return token(lx, TOK_RBRACE, start); }
        ","   { return token(lx, TOK_COMMA, start); }
        ";"   { return token(lx, TOK_SEMI, start); }
        ":"   { return token(lx, TOK_COLON, start); }
        "."   { return token(lx, TOK_DOT, start); }
        ".."  { return token(lx, TOK_DOTDOT, start); }
        "->"  { return token(lx, TOK_ARROW, start); }
        "="   { return token(lx, TOK_ASSIGN, start); }
        "+="  { return token(lx, TOK_ADD_ASSIGN, start); }
        "-="  { return token(lx, TOK_SUB_ASSIGN, start); }
        "*="  { return token(lx, TOK_MUL_ASSIGN, start); }
        "/="  { return token(lx, TOK_DIV_ASSIGN, start); }
        "%="  { return token(lx, TOK_REM_ASSIGN, start); }
        "&="  { return token(lx, TOK_AND_ASSIGN, start); }
        "|="  { return token(lx, TOK_OR_ASSIGN, start); }
        "^="  { return token(lx, TOK_XOR_ASSIGN, start); }
        "<<=" { return token(lx, TOK_SHL_ASSIGN, start); }
        "<<<=" { return token(lx, TOK_ROL_ASSIGN, start); }
        ">>=" { return token(lx, TOK_SHR_ASSIGN, start); }
        "||"  { return token(lx, TOK_OR, start); }
        "&&"  { return token(lx, TOK_AND, start); }
        "=="  { return token(lx, TOK_EQ, start); }
        "!="  { return token(lx, TOK_NE, start); }
        "<"   { return token(lx, TOK_LT, start); }
        "<="  { return token(lx, TOK_LE, start); }
        ">"   { return token(lx, TOK_GT, start); }
        ">="  { return token(lx, TOK_GE, start); }
        "|"   { return token(lx, TOK_PIPE, start); }
        "^"   { return token(lx, TOK_CARET, start); }
        "&"   { return token(lx, TOK_AMP, start); }
        "<<"  { return token(lx, TOK_SHL, start); }
        ">>"  { return token(lx, TOK_SHR, start); }
        "<<<" { return token(lx, TOK_ROL, start); }
        "+"   { return token(lx, TOK_PLUS, start); }
        "-"   { return token(lx, TOK_MINUS, start); }
        "*"   { return token(lx, TOK_STAR, start); }
        "/"   { return token(lx, TOK_SLASH, start); }
        "%"   { return token(lx, TOK_PERCENT, start); }
        "!"   { return token(lx, TOK_BANG, start); }
        "~"   { return token(lx, TOK_TILDE, start); }
        */
    }
}
