/* test_fixes.c -- every fix of every wrong program of tests/lex, tests/mistakes, tests/parse and tests/sema is applied
 * by itself, as an editor does: the diagnostic that proposes it must be gone then, and none may be added. Usage:
 * test_fixes [PATH...] */
#include "checked.h"

#include <dirent.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "driver/stdlib.h"

enum { MAX_TEXT = 1 << 20 };

static int n_fixes, n_wrong;

static void check_text(Compiler *c, const char *path, const char *text, size_t n) {
    compiler_init(c);
    Module *m = parse_source(c, source_add(&c->sources, path, text, n), NULL);
    SemaOptions how = {.stdlib = stdlib_modules};
    if (!c->diags.n_errors) sema_check(c, m, &how);
}

/* 1: lexer, 2: parser, 3: what follows */
static int stage(DiagCode code) {
    const char *name = diag_code_name(code);
    return name[0] == 'W' || name[1] != '0' || name[2] > '2' ? 3 : name[2] == '1' ? 1 : 2;
}

static int line_of(const Compiler *c, const Diag *d) {
    return source_place(&((Compiler *)c)->sources, d->span.lo).line;
}

static int count(const Compiler *c, DiagCode code) {
    int n = 0;
    for (int i = 0; i < c->diags.list.n; i++) n += c->diags.list.at[i]->code == code;
    return n;
}

static bool has(const Compiler *c, const Diag *like) {
    for (int i = 0; i < c->diags.list.n; i++)
        if (c->diags.list.at[i]->code == like->code && !strcmp(c->diags.list.at[i]->text, like->text)) return true;
    return false;
}

/* An error hides others that are found later: warnings, those of later stages, of the rest of a statement that cannot
 * be parsed, or of a call of something unknown. */
static bool was_hidden(const Compiler *before, const Diag *of, const Compiler *after, const Diag *d) {
    if (of->severity != SEV_ERROR) return false;
    bool is_rest = line_of(after, d) == line_of(before, of);
    bool is_unbalanced = d->code == E0204 || d->code == E0205;
    if (d->severity != SEV_ERROR || stage(d->code) > stage(of->code)) return true;
    if (is_rest && stage(of->code) == 2) return !is_unbalanced && d->code != of->code;
    bool is_type = of->code == E0301 || of->code == E0303 || of->code == E0319;
    return is_rest && (is_type || (of->code == E0602 && d->code == E0601));
}

/* A diagnostic of which there are more than before; NULL: none. */
static const Diag *added(const Compiler *before, const Compiler *after, const Diag *of) {
    for (int i = 0; i < after->diags.list.n; i++) {
        const Diag *d = after->diags.list.at[i];
        bool is_new = count(after, d->code) > count(before, d->code) && !has(before, d);
        if (is_new && !was_hidden(before, of, after, d)) return d;
    }
    return NULL;
}

/* At its old place, or where the edit has moved it. */
static bool is_there(const Compiler *before, const Compiler *after, const Diag *of, long grown) {
    long at = source_place(&((Compiler *)before)->sources, of->span.lo).col;
    for (int i = 0; i < after->diags.list.n; i++) {
        const Diag *d = after->diags.list.at[i];
        long col = source_place(&((Compiler *)after)->sources, d->span.lo).col;
        bool same = d->code == of->code && line_of(after, d) == line_of(before, of) && !strcmp(d->text, of->text);
        if (same && (col == at || col == at + grown)) return true;
    }
    return false;
}

static const DiagNote *fix_of(const Diag *d) {
    for (int i = 0; d && i < d->notes.n; i++)
        if (d->notes.at[i].fix) return &d->notes.at[i];
    return NULL;
}

/* The text with the fix applied; NULL: it is for another file. */
static char *edited(const char *path, const char *text, size_t n, const Compiler *c, const DiagNote *fix) {
    const Source *s = source_place(&((Compiler *)c)->sources, fix->span.lo).file;
    if (!s || strcmp(s->path, path)) return NULL;
    size_t lo = fix->span.lo - s->base, hi = fix->span.hi > fix->span.lo ? fix->span.hi - s->base : lo;
    size_t n_new = strlen(fix->fix);
    char *to = malloc(n + n_new + 1);
    memcpy(to, text, lo);
    memcpy(to + lo, fix->fix, n_new);
    memcpy(to + lo + n_new, text + hi, n - hi);
    to[n - (hi - lo) + n_new] = 0;
    return to;
}

/* What a fix adds may have fixes itself, as the calls of a function whose parameter becomes `&mut`: those are applied,
 * too. */
static void apply(const char *path, const char *text, size_t n, const Compiler *before, const Diag *d,
                  const DiagNote *fix) {
    enum { MAX_ROUNDS = 8 };
    const Diag *more = NULL;
    bool stays = false;
    char *now = edited(path, text, n, before, fix);
    if (!now) return;
    n_fixes++;
    char wrong[8] = "";
    for (int round = 0; now; round++) {
        Compiler after;
        check_text(&after, path, now, strlen(now));
        more = added(before, &after, d);
        stays = is_there(before, &after, d, (long)strlen(now) - (long)n);
        snprintf(wrong, sizeof wrong, "%s", more ? diag_code_name(more->code) : "");
        const DiagNote *next = round < MAX_ROUNDS ? fix_of(more) : NULL;
        char *then = next ? edited(path, now, strlen(now), &after, next) : NULL;
        compiler_free(&after);
        free(now);
        now = then;
    }
    if (!*wrong && !stays) return;
    Place at = source_place(&((Compiler *)before)->sources, d->span.lo);
    n_wrong++;
    fprintf(stderr, "%s:%d:%d: %s: `%s`: %s%s\n", path, at.line, at.col, diag_code_name(d->code), fix->fix,
            *wrong ? "adds " : "it stays", wrong);
}

static void try_file(const char *path) {
    static char text[MAX_TEXT];
    FILE *f = fopen(path, "rb");
    size_t n = f ? fread(text, 1, sizeof text - 1, f) : 0;
    if (f) fclose(f);
    text[n] = 0;
    if (!strstr(text, "error[") && !strstr(text, "warning[")) return; /* for the parser only */
    Compiler before;
    check_text(&before, path, text, n);
    for (int i = 0; i < before.diags.list.n; i++) {
        const Diag *d = before.diags.list.at[i];
        for (int k = 0; k < d->notes.n; k++)
            if (d->notes.at[k].fix) apply(path, text, n, &before, d, &d->notes.at[k]);
    }
    compiler_free(&before);
}

static int by_name(const struct dirent **a, const struct dirent **b) { return strcmp((*a)->d_name, (*b)->d_name); }

static void try_all(const char *path) {
    struct stat st;
    if (stat(path, &st) || !S_ISDIR(st.st_mode)) {
        try_file(path);
        return;
    }
    struct dirent **names;
    int n = scandir(path, &names, NULL, by_name);
    for (int i = 0; i < n; i++) {
        const char *end = strstr(names[i]->d_name, ".kdsl");
        char file[4096];
        snprintf(file, sizeof file, "%s/%s", path, names[i]->d_name);
        if (end && !end[5]) try_file(file);
        free(names[i]);
    }
    if (n >= 0) free(names);
}

int main(int argc, char **argv) {
    if (argc > 1)
        for (int i = 1; i < argc; i++) try_all(argv[i]);
    else {
        try_all(KDSL_TESTS "/lex");
        try_all(KDSL_TESTS "/mistakes");
        try_all(KDSL_TESTS "/parse");
        try_all(KDSL_TESTS "/sema");
    }
    fprintf(stderr, "%d fixes, %d wrong\n", n_fixes, n_wrong);
    check(n_wrong == 0, "each fix removes its diagnostic and adds none");
    check(argc > 1 || n_fixes > 200, "there are fixes");
    return n_failed != 0;
}
