/* test_tree_sitter.c -- the grammar for editors (editors/tree-sitter-kdsl) beside the compiler's parser, on all KDSL
 * sources of the repository.
 *
 *   valid text     has no ERROR node, and both trees have the same declarations, statements, types, expressions and
 *                  operators, with the same spans
 *   syntax errors  result in an ERROR or MISSING node
 *   corpus         the trees of the texts in test/corpus, which `tree-sitter test` compares as well
 *   queries        the patterns in queries/ fit the grammar
 *
 * Arguments: the files to use; without any, those of the repository, then corpus and queries. Exit status 1 on
 * failure. */
#define _GNU_SOURCE
#include <ftw.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tree_sitter/api.h>

#include "parser/children.h"

const TSLanguage *tree_sitter_kdsl(void);

static int n_failed, n_valid, n_wrong; /* n_valid, n_wrong: files */

typedef struct Part { const char *kind; uint32_t lo, hi; } Part;
typedef struct Parts { Part *at; int n, room; } Parts;

static void add(Parts *parts, const char *kind, uint32_t lo, uint32_t hi) {
    if (parts->n == parts->room) {
        parts->room = parts->room ? 2 * parts->room : 64;
        parts->at = realloc(parts->at, (size_t)parts->room * sizeof *parts->at);
        if (!parts->at) abort();
    }
    parts->at[parts->n++] = (Part){kind, lo, hi};
}

static int compare(const void *a, const void *b) {
    const Part *x = a, *y = b;
    if (x->lo != y->lo) return x->lo < y->lo ? -1 : 1;
    if (x->hi != y->hi) return x->hi > y->hi ? -1 : 1;
    return strcmp(x->kind, y->kind);
}

/* ---- the compiler's tree, in the grammar's words ---- */

static const char *const expr_kinds[EXPR__COUNT] = {
    [EXPR_INT] = "integer", [EXPR_FLOAT] = "float", [EXPR_BOOL] = "boolean", [EXPR_STR] = "string",
    [EXPR_NAME] = "identifier", [EXPR_UNARY] = "unary", [EXPR_BINARY] = "binary", [EXPR_CALL] = "call",
    [EXPR_INDEX] = "index", [EXPR_FIELD] = "member", [EXPR_IF] = "if_expression", [EXPR_FILL] = "fill",
    [EXPR_COMPREHEND] = "comprehension", [EXPR_LIST] = "list", [EXPR_RANGE] = "slice", [EXPR_OFFLOAD] = "offload",
    [EXPR_ATOMIC] = "atomic",
};
static const char *const stmt_kinds[STMT__COUNT] = {
    [STMT_LET] = "let", [STMT_ASSIGN] = "assignment", [STMT_ATOMIC] = "atomic_statement",
    [STMT_EXPR] = "expression_statement", [STMT_IF] = "if", [STMT_FOR] = "for", [STMT_WHILE] = "while",
    [STMT_BREAK] = "break", [STMT_CONTINUE] = "continue", [STMT_RETURN] = "return", [STMT_ASSERT] = "assert",
    [STMT_SHARED] = "shared", [STMT_BARRIER] = "barrier", [STMT_WAIT] = "wait", [STMT_RESIDENT] = "resident",
    [STMT_BLOCK] = NULL, /* add_block */
};
static const char *const item_kinds[ITEM__COUNT] = {
    [ITEM_FN] = "function", [ITEM_KERNEL] = "kernel", [ITEM_STRUCT] = "struct", [ITEM_CONST] = "const",
    [ITEM_IMPORT] = "import", [ITEM_TEST] = "test",
};

typedef struct Ours { Parts parts; uint32_t base; } Ours;

static void add_span(Ours *o, const char *kind, Span span) {
    if (kind) add(&o->parts, kind, span.lo - o->base, span.hi - o->base);
}

static void add_expr(Ours *o, const Expr *e) {
    add_span(o, expr_kinds[e->kind], e->span);
    if (e->kind == EXPR_BINARY) add_span(o, "operator", e->binary.op_span);
    if (e->kind == EXPR_UNARY) add_span(o, "operator", e->unary.op_span);
    Children all = expr_children(e);
    for (Expr *x; (x = child_expr(&all));) add_expr(o, x);
}

static void add_type(Ours *o, const TypeExpr *t) {
    if (!t) return;
    switch (t->kind) {
    case TE_ERROR: break;
    case TE_NAME:
        add_span(o, "named_type", t->span);
        for (int i = 0; i < t->name.args.n; i++) add_type(o, t->name.args.at[i]);
        break;
    case TE_ARRAY:
        add_span(o, "array_type", t->span);
        add_type(o, t->array.elem);
        for (int i = 0; i < t->array.extents.n; i++) add_expr(o, t->array.extents.at[i]);
        break;
    case TE_REF:
        add_span(o, "reference_type", t->span);
        add_type(o, t->ref.to);
        break;
    }
}

static void add_stmt(Ours *o, const Stmt *s) {
    add_span(o, stmt_kinds[s->kind], s->span);
    if (s->kind == STMT_LET) add_type(o, s->let.type);
    if (s->kind == STMT_SHARED) add_type(o, s->shared.type);
    Children all = stmt_children(s);
    if (all.block) add_span(o, "block", (*all.block)->span);
    for (Expr *x; (x = child_expr(&all));) add_expr(o, x);
    for (Stmt *x; (x = child_stmt(&all));) add_stmt(o, x);
}

static void add_block(Ours *o, const Block *b) {
    if (!b) return;
    add_span(o, "block", b->span);
    for (int i = 0; i < b->stmts.n; i++) add_stmt(o, b->stmts.at[i]);
}

static void add_function(Ours *o, const Item *item) {
    for (int i = 0; i < item->fn.params.n; i++) add_type(o, item->fn.params.at[i].type);
    add_type(o, item->fn.result);
    for (int i = 0; i < item->fn.over.n; i++) {
        const Binder *b = &item->fn.over.at[i];
        Children all = range_children(&b->range);
        for (Expr *x; (x = child_expr(&all));) add_expr(o, x);
        if (b->by) add_expr(o, b->by);
    }
    add_block(o, item->fn.body);
}

static void add_item(Ours *o, const Item *item) {
    bool is_extern_fn = item->kind == ITEM_FN && item->fn.is_extern;
    bool is_extern_struct = item->kind == ITEM_STRUCT && item->struct_.is_extern;
    const char *kind = is_extern_fn ? "extern_function" : is_extern_struct ? "extern_struct" : item_kinds[item->kind];
    add_span(o, kind, item->span);
    switch (item->kind) {
    case ITEM_FN:
    case ITEM_KERNEL: add_function(o, item); break;
    case ITEM_STRUCT:
        for (int i = 0; i < item->struct_.fields.n; i++) add_type(o, item->struct_.fields.at[i].type);
        break;
    case ITEM_CONST:
        add_type(o, item->const_.type);
        add_expr(o, item->const_.value);
        break;
    case ITEM_TEST: add_block(o, item->test.body); break;
    case ITEM_ERROR:
    case ITEM_IMPORT:
    case ITEM__COUNT: break;
    }
}

/* ---- the tree of the grammar ---- */

static bool is_one_of(const char *text, const char *const *list) {
    for (; text && *list; list++)
        if (!strcmp(text, *list)) return true;
    return false;
}

/* Names that are declared or selected, and texts that are part of a declaration, are not expressions. */
static bool is_label(const char *kind, const char *field, const char *parent) {
    static const char *const leaves[] = {"identifier", "string", NULL};
    static const char *const labels[] = {"name", "module", "label", "member", "constraint", "language", NULL};
    static const char *const parents[] = {"path", "reduction", "assumption", NULL};
    return is_one_of(kind, leaves) && (is_one_of(field, labels) || is_one_of(parent, parents));
}

/* `-> any` is a reduction without a type; sema would say so of a type of this name. */
static bool is_bare_reduction(TSNode node, const char *field, const char *parent, const char *text) {
    static const char *const words[] = {"sum", "prod", "min", "max", "any", "all", "count", NULL};
    if (!field || strcmp(field, "result") || strcmp(parent, "kernel")) return false;
    uint32_t lo = ts_node_start_byte(node), n = ts_node_end_byte(node) - lo;
    for (int i = 0; words[i]; i++)
        if (strlen(words[i]) == n && !memcmp(text + lo, words[i], n)) return true;
    return false;
}

static bool is_compared(const char *kind) {
    for (int i = 0; i < EXPR__COUNT; i++)
        if (expr_kinds[i] && !strcmp(expr_kinds[i], kind)) return true;
    for (int i = 0; i < STMT__COUNT; i++)
        if (stmt_kinds[i] && !strcmp(stmt_kinds[i], kind)) return true;
    for (int i = 0; i < ITEM__COUNT; i++)
        if (item_kinds[i] && !strcmp(item_kinds[i], kind)) return true;
    static const char *const others[] = {"block", "named_type", "array_type", "reference_type", "extern_function",
                                         "extern_struct", NULL};
    return is_one_of(kind, others);
}

/* The compiler has no node for brackets: their span is that of the expression inside. around: the outermost ones. */
static void add_node(Parts *theirs, TSTreeCursor *at, const char *parent, const Part *around, const char *text) {
    TSNode node = ts_tree_cursor_current_node(at);
    const char *kind = ts_node_type(node), *field = ts_tree_cursor_current_field_name(at);
    Part own = {kind, ts_node_start_byte(node), ts_node_end_byte(node)};
    const Part *span = around ? around : &own;
    bool is_operator = field && !strcmp(field, "operator"), is_brackets = !strcmp(kind, "parenthesized");
    if (is_operator) add(theirs, "operator", own.lo, own.hi);
    else if (ts_node_is_named(node) && is_compared(kind) && !is_label(kind, field, parent) &&
             !is_bare_reduction(node, field, parent, text))
        add(theirs, kind, span->lo, span->hi);
    if (!ts_tree_cursor_goto_first_child(at)) return;
    do add_node(theirs, at, kind, is_brackets ? span : NULL, text);
    while (ts_tree_cursor_goto_next_sibling(at));
    ts_tree_cursor_goto_parent(at);
}

/* ---- files ---- */

/* A file with a zero byte after it. Never returns NULL. */
static char *read_file(const char *path, size_t *n) {
    FILE *f = fopen(path, "rb");
    char *text = NULL;
    long size = f && !fseek(f, 0, SEEK_END) ? ftell(f) : -1;
    if (size >= 0) text = malloc((size_t)size + 1);
    if (text) rewind(f);
    if (!text || fread(text, 1, (size_t)size, f) != (size_t)size) {
        perror(path);
        exit(2);
    }
    fclose(f);
    text[size] = 0;
    *n = (size_t)size;
    return text;
}

static void fail(const char *path, const char *text, const char *what, const Part *part) {
    int line = 1;
    for (uint32_t i = 0; i < part->lo; i++) line += text[i] == '\n';
    fprintf(stderr, "%s:%d: %s: %s `%.*s`\n", path, line, what, part->kind,
            part->hi - part->lo > 60 ? 60 : (int)(part->hi - part->lo), text + part->lo);
    n_failed++;
}

static void check_same(const char *path, const char *text, Parts ours, Parts theirs) {
    if (ours.n) qsort(ours.at, (size_t)ours.n, sizeof *ours.at, compare);
    if (theirs.n) qsort(theirs.at, (size_t)theirs.n, sizeof *theirs.at, compare);
    for (int i = 0, j = 0; i < ours.n || j < theirs.n;) {
        int order = i == ours.n ? 1 : j == theirs.n ? -1 : compare(&ours.at[i], &theirs.at[j]);
        if (order < 0) fail(path, text, "only the compiler has", &ours.at[i]);
        else if (order > 0) fail(path, text, "only the grammar has", &theirs.at[j]);
        if (order) return;
        i++, j++;
    }
}

static bool find_error(TSNode node, Part *where) {
    if (!ts_node_has_error(node)) return false;
    for (uint32_t i = 0; i < ts_node_child_count(node); i++)
        if (find_error(ts_node_child(node, i), where)) return true;
    *where = (Part){ts_node_type(node), ts_node_start_byte(node), ts_node_end_byte(node)};
    return true;
}

/* What no context-free grammar says: limits of nesting and of sizes, and text that is not UTF-8. */
static bool is_beyond_grammar(DiagCode code) {
    return code == E0203 || code == E0109 || code == E0112 || code == E0103 || code == E0104;
}

static void check_file(const char *path, const char *text, size_t n) {
    Compiler c;
    compiler_init(&c);
    Source *source = source_add(&c.sources, path, text, n);
    Module *module = parse_source(&c, source, NULL);
    TSParser *parser = ts_parser_new();
    ts_parser_set_language(parser, tree_sitter_kdsl());
    TSTree *tree = ts_parser_parse_string(parser, NULL, text, (uint32_t)n);
    TSNode root = ts_tree_root_node(tree);
    Part where = {"file", 0, 0};
    bool has_error = find_error(root, &where);
    if (!c.diags.n_errors) {
        n_valid++;
        Ours ours = {.base = source->base};
        Parts theirs = {0};
        if (has_error) {
            fail(path, text, "the grammar does not accept", &where);
        } else {
            for (int i = 0; i < module->items.n; i++) add_item(&ours, module->items.at[i]);
            TSTreeCursor at = ts_tree_cursor_new(root);
            add_node(&theirs, &at, "", NULL, text);
            ts_tree_cursor_delete(&at);
            check_same(path, text, ours.parts, theirs);
        }
        free(ours.parts.at);
        free(theirs.at);
    } else {
        bool expected = false;
        for (int i = 0; i < c.diags.list.n; i++) expected |= !is_beyond_grammar(c.diags.list.at[i]->code);
        n_wrong += expected;
        if (expected && !has_error) fail(path, text, "the grammar accepts", &where);
    }
    ts_tree_delete(tree);
    ts_parser_delete(parser);
    compiler_free(&c);
}

static int visit(const char *path, const struct stat *st, int type, struct FTW *ftw) {
    (void)st, (void)ftw;
    size_t n_path = strlen(path), n;
    if (type != FTW_F || n_path < 5 || strcmp(path + n_path - 5, ".kdsl")) return 0;
    char *text = read_file(path, &n);
    check_file(path, text, n);
    free(text);
    return 0;
}

/* ---- corpus and queries ---- */

/* White space becomes a single space; there is none before `)` and at the ends. */
static char *normalised(const char *tree, size_t n) {
    char *out = malloc(n + 1), *to = out;
    if (!out) abort();
    for (size_t i = 0; i < n; i++) {
        bool is_space = strchr(" \n", tree[i]) != NULL;
        bool is_last = i + strspn(tree + i, " \n)") >= n || tree[i + 1] == ')';
        if (is_space && (to == out || to[-1] == ' ' || is_last)) continue;
        *to++ = is_space ? ' ' : tree[i];
    }
    *to = 0;
    return out;
}

/* One text of a corpus file: a title between two lines of `===`, the text, `---`, its tree. After a title with the line
 * `:error` only an error is expected, since how a parser recovers depends on the version of the library. Returns the
 * next one, or NULL. */
static const char *check_example(const char *path, const char *at) {
    const char *title = strchr(at, '\n') + 1, *bar = strstr(title, "\n==="), *text = bar ? strchr(bar + 1, '\n') : NULL;
    const char *end = text ? strstr(text, "\n---\n") : NULL, *next = end ? strstr(end, "\n===") : NULL;
    if (!end) return n_failed++, fprintf(stderr, "%s: `===` or `---` is missing\n", path), NULL;
    bool expects_error = memmem(title, (size_t)(bar - title), "\n:error", 7) != NULL;
    const char *tree = end + 5, *tree_end = next ? next : tree + strlen(tree);
    TSParser *parser = ts_parser_new();
    ts_parser_set_language(parser, tree_sitter_kdsl());
    TSTree *parsed = ts_parser_parse_string(parser, NULL, text, (uint32_t)(end - text));
    TSNode root = ts_tree_root_node(parsed);
    char *raw = ts_node_string(root);
    char *got = normalised(raw, strlen(raw)), *wanted = normalised(tree, (size_t)(tree_end - tree));
    if (expects_error ? !ts_node_has_error(root) : strcmp(got, wanted)) {
        n_failed++;
        fprintf(stderr, "%s: %.*s: the tree is\n%s\n", path, (int)strcspn(title, "\n"), title, got);
    }
    free(raw);
    free(got);
    free(wanted);
    ts_tree_delete(parsed);
    ts_parser_delete(parser);
    return next ? next + 1 : NULL;
}

static int check_corpus(const char *path) {
    size_t n;
    int n_examples = 0;
    char *text = read_file(path, &n);
    for (const char *at = text; at; n_examples++) at = check_example(path, at);
    free(text);
    return n_examples;
}

static void check_query(const char *path) {
    size_t n;
    uint32_t at;
    TSQueryError error;
    char *text = read_file(path, &n);
    TSQuery *query = ts_query_new(tree_sitter_kdsl(), text, (uint32_t)n, &at, &error);
    if (!query) {
        n_failed++;
        fprintf(stderr, "%s: error %d at `%.40s`\n", path, error, text + at);
    }
    ts_query_delete(query);
    free(text);
}

static void check_grammar(void) {
    glob_t found = {0};
    int n_examples = 0;
    glob(KDSL_ROOT "/editors/tree-sitter-kdsl/test/corpus/*.txt", 0, NULL, &found);
    for (size_t i = 0; i < found.gl_pathc; i++) n_examples += check_corpus(found.gl_pathv[i]);
    size_t n_corpus = found.gl_pathc;
    glob(KDSL_ROOT "/editors/tree-sitter-kdsl/queries/*.scm", GLOB_APPEND, NULL, &found);
    for (size_t i = n_corpus; i < found.gl_pathc; i++) check_query(found.gl_pathv[i]);
    printf("%d texts of the corpus, %zu queries\n", n_examples, found.gl_pathc - n_corpus);
    if (n_examples < 20 || found.gl_pathc - n_corpus < 4) n_failed++;
    globfree(&found);
}

int main(int argc, char **argv) {
    static const char *const folders[] = {"bench", "docs", "examples", "stdlib", "tests"};
    char path[4096];
    for (int i = 1; i < argc; i++) nftw(argv[i], visit, 16, 0);
    if (argc > 1) return n_failed > 0;
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
        snprintf(path, sizeof path, "%s/%s", KDSL_ROOT, folders[i]);
        nftw(path, visit, 16, 0);
    }
    printf("%d valid files, %d with syntax errors\n", n_valid, n_wrong);
    check_grammar();
    if (n_valid < 1000 || n_wrong < 200) return fprintf(stderr, "too few files\n"), 1;
    return n_failed > 0;
}
