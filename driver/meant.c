/* meant.c -- see meant.h. Guesses by meaning come before guesses by spelling, since short words of other compilers are
 * near to anything. */
#include "driver/meant.h"

#include <ctype.h>
#include <dirent.h>
#include <string.h>
#include <unistd.h>

static const struct {
    MeantKind kind;
    const char *word, *says;
} rows[] = {
#define MEANT(kind, word, says) {MEANT_##kind, word, says},
#include "driver/meant.def"
};

static bool ignores(MeantKind kind, char c) { return kind >= MEANT_CPU && (c == '-' || c == '_' || c == ' '); }

static bool matches(MeantKind kind, const char *row, const char *word) {
    for (;; row++, word++) {
        while (ignores(kind, *row)) row++;
        while (ignores(kind, *word)) word++;
        if (*row == '*') return true;
        if (!*row) return !*word || *word == '=';
        bool same = kind == MEANT_OPTION ? *row == *word : *row == tolower((unsigned char)*word);
        if (!same) return false;
    }
}

const char *meant_by(MeantKind kind, const char *word) {
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].kind == kind && matches(kind, rows[i].word, word)) return rows[i].says;
    return NULL;
}

int meant_typos(const char *word) {
    size_t n = strlen(word + strspn(word, "-"));
    return n < 3 ? 0 : n < 5 ? 1 : n < 8 ? 2 : 3;
}

static bool is_source(const char *name) {
    size_t n = strlen(name);
    return n > 5 && !strcmp(name + n - 5, ".kdsl");
}

/* With the folder as written; NULL: none. */
static const char *nearest_file(Arena *arena, const char *path) {
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path, *best = NULL;
    int n_folder = (int)(name - path), best_distance = 3;
    DIR *folder = opendir(n_folder ? arena_strndup(arena, path, (size_t)n_folder) : ".");
    const char *whole = arena_printf(arena, "%s.kdsl", name);
    for (struct dirent *d; folder && (d = readdir(folder));) {
        if (!is_source(d->d_name)) continue;
        int distance = strcmp(d->d_name, whole) ? edit_distance(name, d->d_name, best_distance) : 0;
        bool is_earlier = best && distance == best_distance && strcmp(d->d_name, best) < 0; /* readdir has no order */
        if (distance < best_distance || is_earlier)
            best = arena_printf(arena, "%s", d->d_name), best_distance = distance;
    }
    if (folder) closedir(folder);
    return best ? arena_printf(arena, "%.*s%s", n_folder, path, best) : NULL;
}

void report_unreadable(Compiler *c, const char *path, const char *why) {
    Diag *d = diag(c, E1002, (Span){0}, "cannot read `%s`: %s", path, why);
    const char *meant = access(path, F_OK) ? nearest_file(&c->arena, path) : NULL;
    if (meant) diag_note(c, d, (Span){0}, "did you mean `%s`?", meant);
}
