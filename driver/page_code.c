/* page_code.c -- assembly and LLVM IR without debug information, and the line of the source that each line is of: from
 * `.loc` and `.file`, and from `!dbg` and the locations it names. */
#include <stdlib.h>
#include <string.h>

#include "driver/page.h"

typedef struct Line {
    const char *at;
    size_t n;
} Line;

static bool next_line(const char **at, Line *line) {
    if (!**at) return false;
    line->at = *at;
    line->n = strcspn(*at, "\n");
    *at += line->n + ((*at)[line->n] != '\0');
    return true;
}

static bool starts(Line line, const char *word) {
    size_t n = strlen(word);
    return line.n >= n && !memcmp(line.at, word, n);
}

static bool starts_with_any(Line line, const char *const *words) {
    for (; *words; words++)
        if (starts(line, *words)) return true;
    return false;
}

static const char *find(Line line, const char *word) {
    const char *at = memmem(line.at, line.n, word, strlen(word));
    return at ? at + strlen(word) : NULL;
}

static PagePane *add_pane(Page *page, const char *id, const char *title) {
    PagePane pane = {.id = id, .title = title};
    vec_push(page->arena, &page->panes, pane);
    return &page->panes.at[page->panes.n - 1];
}

static void add_line(Page *page, PagePane *pane, const char *at, size_t n, int key) {
    buf_add(&pane->text, at, n);
    buf_putc(&pane->text, '\n');
    vec_push(page->arena, &pane->keys, key);
}

/* The key of a file as debug information names it: perhaps with the folder before it. */
static int key_of(const Page *page, const char *name, size_t n, int line) {
    for (int i = 0; i < page->files.n && line > 0; i++) {
        const char *path = page->files.at[i]->path;
        size_t m = strlen(path);
        if (n >= m && !memcmp(name + n - m, path, m) && (n == m || name[n - m - 1] == '/'))
            return page_key(page, path, line);
    }
    return 0;
}

/* Assembly --------------------------------------------------------------------------------------------------------- */

enum { MOST_FILES = 256 };

typedef struct Files {
    Line names[MOST_FILES]; /* by the number of `.file` */
} Files;

/* The last text in quotes: .file 0 "/folder" "x.kdsl" */
static void note_file(Files *files, Line line) {
    char *end;
    unsigned long number = strtoul(line.at + strlen("\t.file"), &end, 10);
    size_t hi = line.n;
    while (hi && line.at[hi - 1] != '"') hi--;
    size_t lo = hi ? hi - 1 : 0;
    while (lo && line.at[lo - 1] != '"') lo--;
    if (number < MOST_FILES && hi > lo && end > line.at) files->names[number] = (Line){line.at + lo, hi - 1 - lo};
}

static int located(const Page *page, const Files *files, Line line) {
    char *end;
    unsigned long file = strtoul(line.at + strlen("\t.loc"), &end, 10);
    long number = strtol(end, NULL, 10);
    if (file >= MOST_FILES || !files->names[file].at || number <= 0 || number >= PAGE_LINES) return 0;
    return key_of(page, files->names[file].at, files->names[file].n, (int)number);
}

/* What only an assembler and a debugger read. */
static const char *const dull[] = {
    "\t.cfi_",    "\t.file", "\t.size", "\t.type", "\t.ident",  "\t.addrsig",          "\t.weak\t",
    "\t.p2align", ".Ltmp",   ".Lfunc_", "$L__tmp", "$L__func_", "\t.section\t\".note", "\t.protected\t",
    NULL};

static const struct {
    const char *from, *to;
} blocks[] = {{"\t.amdgpu_metadata", "\t.end_amdgpu_metadata"}, {"\t.amdhsa_kernel", "\t.end_amdhsa_kernel"},
              {"\t.set ", NULL}};

/* Descriptors, which are tables and not code. */
static bool skip_block(Line line, const char **at) {
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) {
        if (!starts(line, blocks[i].from)) continue;
        Line inner;
        while (blocks[i].to && next_line(at, &inner) && !starts(inner, blocks[i].to)) continue;
        return true;
    }
    return false;
}

static bool is_instruction(Line line) {
    if (line.n < 2 || line.at[0] != '\t') return false;
    return line.at[1] != '.' && line.at[1] != '/' && line.at[1] != ';' && line.at[1] != '#';
}

static bool is_blank(Line line) { return strspn(line.at, " \t;/") >= line.n; }

/* PTX names its files after the code. */
static Files *files_of(Page *page, const char *text) {
    Files *files = arena_new(page->arena, Files);
    Line line;
    while (next_line(&text, &line))
        if (starts(line, "\t.file\t")) note_file(files, line);
    return files;
}

void page_add_assembly(Page *page, const char *id, const char *title, const char *text) {
    Files *files = files_of(page, text);
    PagePane *pane = add_pane(page, id, title);
    Line line;
    int key = 0;
    bool was_blank = true, is_debug = false;
    while (next_line(&text, &line)) {
        if (starts(line, "\t.section") || starts(line, "\t.text")) is_debug = find(line, "\t.debug_") != NULL;
        if (is_debug) continue;
        if (starts(line, "\t.loc")) key = located(page, files, line);
        else if (starts(line, ".Lfunc_end") || starts(line, "$L__func_end")) key = 0;
        if (starts(line, "\t.loc") || starts_with_any(line, dull) || skip_block(line, &text)) continue;
        if (is_blank(line) && was_blank) continue;
        was_blank = is_blank(line);
        add_line(page, pane, line.at, line.n, is_instruction(line) ? key : 0);
    }
}

/* LLVM IR ---------------------------------------------------------------------------------------------------------- */

/* A node of the metadata: a location or scope, or a file. */
typedef struct Node {
    int line, scope, file; /* scope, file: numbers of nodes; -1: none */
    Line name;             /* of a file */
} Node;
typedef Vec(Node) Nodes;

static int number_after(Line line, const char *word) {
    const char *at = find(line, word);
    return at ? atoi(at) : -1;
}

/* !22 = !DILocation(line: 6, column: 59, scope: !5) */
static void note_node(Page *page, Nodes *nodes, Line line) {
    int number = atoi(line.at + 1);
    if (number < 0 || number >= PAGE_LINES) return;
    while (nodes->n <= number) vec_push(page->arena, nodes, ((Node){-1, -1, -1, {0}}));
    Node *node = &nodes->at[number];
    *node = (Node){number_after(line, "line: "), -1, number_after(line, "file: !"), {0}};
    if (find(line, "= !DILocation(")) node->scope = number_after(line, "scope: !");
    const char *name = find(line, "!DIFile(filename: \"");
    if (name) node->name = (Line){name, strcspn(name, "\"")};
}

static Nodes nodes_of(Page *page, const char *text) {
    Nodes nodes = {0};
    Line line;
    while (next_line(&text, &line))
        if (line.n > 1 && line.at[0] == '!' && strchr("0123456789", line.at[1])) note_node(page, &nodes, line);
    return nodes;
}

static const Node *node_at(const Nodes *nodes, int number) {
    return number >= 0 && number < nodes->n ? &nodes->at[number] : NULL;
}

static int key_of_node(const Page *page, const Nodes *nodes, int number) {
    const Node *at = node_at(nodes, number), *scope = at && at->scope >= 0 ? node_at(nodes, at->scope) : at;
    const Node *file = scope ? node_at(nodes, scope->file) : NULL;
    return file && file->name.at ? key_of(page, file->name.at, file->name.n, at->line) : 0;
}

/* An attachment at the end of an instruction, as `, !tbaa !12`: where it begins; NULL: there is none. Of `define`s it
 * has no comma. */
static const char *attachment(const char *at, const char *end) {
    const char *p = at + (*at == ',');
    if (end - p < 5 || p[0] != ' ' || p[1] != '!' || !strchr("abcdefghijklmnopqrstuvwxyz", p[2])) return NULL;
    for (p += 2; p < end && *p != ' '; p++) continue;
    if (end - p < 3 || p[1] != '!' || !strchr("0123456789", p[2])) return NULL;
    for (p += 2; p < end && strchr("0123456789", *p); p++) continue;
    return p;
}

/* Without metadata, whose nodes are not shown. */
static void add_instruction(Page *page, PagePane *pane, const Nodes *nodes, Line line) {
    const char *dbg = find(line, "!dbg !"), *end = line.at + line.n, *past;
    char *text = arena_alloc(page->arena, line.n + 1);
    size_t n = 0;
    for (const char *at = line.at; at < end;) {
        if ((*at == ',' || *at == ' ') && (past = attachment(at, end))) at = past;
        else text[n++] = *at++;
    }
    add_line(page, pane, text, n, dbg ? key_of_node(page, nodes, atoi(dbg)) : 0);
}

void page_add_ir(Page *page, const char *id, const char *title, const char *text) {
    Nodes nodes = nodes_of(page, text);
    PagePane *pane = add_pane(page, id, title);
    Line line;
    bool was_blank = true;
    while (next_line(&text, &line)) {
        if (starts(line, "!") || starts(line, "attributes #") || starts(line, "; Function Attrs:")) continue;
        if (!line.n && was_blank) continue;
        was_blank = !line.n;
        if (!find(line, "#dbg_")) add_instruction(page, pane, &nodes, line);
    }
}
