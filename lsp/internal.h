/* internal.h -- what the files of the language server share: open documents, the checked text of one, and where names
 * are mentioned in it. */
#ifndef KDSL_LSP_INTERNAL_H
#define KDSL_LSP_INTERNAL_H

#include "lsp/json.h"
#include "lsp/lsp.h"

/* A name in the text. Symbols of the instances of a generic are different, but are declared at one place, which is
 * therefore what identifies a name. */
typedef struct Mention {
    Span at, declared;
    const Symbol *sym; /* NULL: a field */
    const Type *type;  /* of a field */
} Mention;

/* A text as the compiler sees it. */
typedef struct Analysis {
    Compiler c;
    Source *source;
    Module *module;
    Program *program;  /* NULL: the text has syntax errors */
    Vec(Mention) mentions;
    Vec(const Expr *) launches, elements; /* EXPR_OFFLOAD; EXPR_INDEX in code for devices */
    TransferNotes notes;
    bool has_notes;
} Analysis;

typedef struct Document {
    char *uri, *path;
    Buf text;
    int version;       /* of the text, counted by the client; 0: closed */
    bool is_dirty;     /* changed since `now` */
    bool wants_races;  /* `now` was checked without the race analysis */
    Analysis *now;
    Analysis *good;    /* the last one without syntax errors; may be `now` */
    Memo *memo;        /* what its checks have found so far; never NULL */
} Document;

typedef struct Server {
    int in, out;
    LspCheck check;
    Buf input;
    Document **documents;
    int n_documents;
    bool utf8;         /* columns are bytes; else UTF-16 code units, the protocol's default */
    bool initialized, has_shut_down, exits;
    const char *refusal; /* of the request being answered; NULL: it is answered */
} Server;

#define REQUEST(method, function) struct json_object *function(Server *s, struct json_object *params);
#define NOTIFY(method, function) void function(Server *s, struct json_object *params);
#include "lsp/methods.def"

/* server.c */
void lsp_notify(Server *s, const char *method, struct json_object *params); /* frees params */

/* document.c. Offsets are from the start of the text. */
Document *document_of(Server *s, struct json_object *params); /* params.textDocument.uri; NULL: it is not open */
void document_check(Server *s, Document *d, bool with_races); /* if it has to be */
const Analysis *document_analysis(Server *s, Document *d);    /* the last good one, after checking; NULL: none yet */
/* The bytes of the character at text[at], and how many columns of the protocol it takes. */
uint32_t character_bytes(const Server *s, const char *text, size_t n, uint32_t at, int *columns);
uint32_t document_offset(const Server *s, const Document *d, struct json_object *position);
/* The same place in the text of an analysis, which may be an older one. */
uint32_t analysis_offset(const Document *d, const Analysis *a, uint32_t offset);
/* `at` is counted over all sources, as in spans. */
struct json_object *position_object(const Server *s, const SourceMap *sources, const Source *of, uint32_t at);
struct json_object *range_in(const Server *s, const SourceMap *sources, const Source *of, Span span);
struct json_object *range_object(const Server *s, const Analysis *a, Span span); /* of the analysed text */
bool is_in_source(const Source *of, Span span);
Analysis *analysis_new(Server *s, const Document *d, bool with_races);
void analysis_free(Analysis *a);
const TransferNotes *analysis_notes(const Analysis *a); /* of the transfer plan; empty after errors */
const char *analysis_text(const Analysis *a, Span span, int *n);

/* mentions.c */
void mentions_find(Analysis *a);
const Mention *mention_at(const Analysis *a, uint32_t offset); /* NULL: there is no name */

/* report.c */
void report_publish(Server *s, const Document *d);

/* describe.c: one line of KDSL that declares it, and the comment above it. */
void describe_symbol(const Analysis *a, const Symbol *sym, Buf *out);
void describe_item(const Analysis *a, const Item *item, Buf *out);
const char *item_comment(const Analysis *a, const Item *item, Buf *out);
const Item *item_around(const Analysis *a, uint32_t offset); /* NULL: none */

#endif
