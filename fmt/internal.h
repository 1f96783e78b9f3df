/* internal.h -- what the files of the formatter share: the pieces of a source, which are its tokens and comments, and
 * the lines that they become. */
#ifndef KDSL_FMT_INTERNAL_H
#define KDSL_FMT_INTERNAL_H

#include "fmt/fmt.h"
#include "lexer/lexer.h"

enum { FMT_INDENT = 4, FMT_WIDTH = 120, FMT_COMMENT_GAP = 2, NO_PIECE = -1 };

typedef enum PieceKind { PIECE_TOKEN, PIECE_LINE_COMMENT, PIECE_BLOCK_COMMENT } PieceKind;

/* What the grammar made of a token that has several meanings. */
typedef enum Role {
    ROLE_PLAIN,
    ROLE_BINARY,  /* an operator between operands */
    ROLE_GENERIC, /* `<` and `>` around types */
    ROLE_CALL,    /* `(` of arguments or parameters, `[` of indices */
    ROLE_BODY,    /* `{` `}` of statements */
    ROLE_FIELDS,  /* of a struct */
    ROLE_VALUE,   /* of an expression: `if c { a } else { b }` */
    ROLE_UPDATE,  /* `min` of `x min= y` */
} Role;

typedef struct Piece {
    PieceKind kind;
    int token;       /* PIECE_TOKEN: TOK_...; the last piece is TOK_END */
    Role role;
    uint32_t lo, hi; /* in the text */
    int line, column; /* in the source, from 0; columns are characters */
    int newlines;    /* between the piece before and this one */
    int parent;      /* the bracket around it, or NO_PIECE */
    int match;       /* of a bracket: the other one */
    int depth;       /* how many brackets are around it */
    int angles;      /* and how many `<` of types */
    int precedence;  /* ROLE_BINARY */
    bool breaks;     /* begins a line */
    /* an opening bracket: */
    bool takes_comma; /* its list may end with a comma */
    bool is_tall;     /* its contents have lines of their own: the closing bracket begins a line */
    int indent, line_indent; /* of its contents, and of the line that it is on; once it has been laid out */
    int at; /* the column that it was laid out at */
} Piece;

/* A line of the result. */
typedef struct Line {
    size_t lo, hi;   /* in Fmt.code: without indentation and the comment at the end */
    int first;       /* piece; a comment at the end is `comment`, or NO_PIECE */
    int comment;
    int indent, width; /* `width`: the column after the last line of the code */
    bool after_blank;
    int number;      /* in the result, once it is printed */
} Line;

typedef struct Fmt {
    Compiler *c;
    const Source *source;
    const char *text;
    Vec(Piece) pieces;
    uint8_t *marks; /* roles.c: of each byte of the text */
    Buf code;
    Vec(Line) lines;
} Fmt;

/* pieces.c */
void fmt_read(Fmt *f, Compiler *c, const Source *s);
static inline Piece *piece_at(const Fmt *f, int i) { return &f->pieces.at[i]; }
static inline bool is_comment(const Piece *p) { return p->kind != PIECE_TOKEN; }
static inline bool is_token(const Piece *p, int token) { return p->kind == PIECE_TOKEN && p->token == token; }
bool opens(const Piece *p);
bool closes(const Piece *p);
int token_before(const Fmt *f, int i); /* the nearest token, without comments; NO_PIECE: none */
int token_from(const Fmt *f, int i);   /* the same at or after i */
int width_of(const char *text, size_t n); /* columns of UTF-8 text */
/* True if both have the same tokens and comments, apart from commas at the end of lists and the margins of comments. */
bool fmt_same(const Fmt *a, const Fmt *b);

/* roles.c: asks the tree what each token is. */
void fmt_roles(Fmt *f, const Module *m);

/* space.c: is there a blank between two neighbours on a line? */
bool fmt_spaced(const Fmt *f, int left, int right);

/* breaks.c */
void fmt_keep_breaks(Fmt *f); /* the line ends of the source that stay */
/* How bad it is to begin a line with this piece; -1: that is not possible. */
int fmt_break_cost(const Fmt *f, int i);
void fmt_break(Fmt *f, int i);

/* layout.c: the pieces become lines. */
void fmt_lay_out(Fmt *f);

/* lines.c: the lines become text. */
void fmt_print(Fmt *f, Buf *out);
/* The text of a comment that begins at `column`: its other lines move with the first one. */
void fmt_comment(const Fmt *f, const Piece *p, int column, Buf *out);
/* True if the comment has a line of its own, below the comment at the end of the last line. */
bool fmt_continues(const Fmt *f, int comment);

/* diff.c */
void fmt_edits(const Fmt *f, Formatted *out);

#endif
