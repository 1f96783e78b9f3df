/* terminal.h -- what stands between a person and a session: what the screen can show, colours while typing, the
 * editing of an input, the words that may follow. */
#ifndef KDSL_TERMINAL_H
#define KDSL_TERMINAL_H

#include "repl/draw.h"

/* terminal.c ------------------------------------------------------------------------------------------------------ */
typedef enum Graphics { GRAPHICS_UNKNOWN, GRAPHICS_CELLS, GRAPHICS_SIXEL, GRAPHICS_KITTY } Graphics;
typedef struct Terminal {
    bool interactive; /* a person types and reads; else plain lines in and out */
    Depth depth;
    Graphics graphics; /* terminal_graphics finds out, when it is first asked */
} Terminal;
void terminal_look(Terminal *t, bool colour);
void terminal_size(const Terminal *t, int *columns, int *rows);
Graphics terminal_graphics(Terminal *t);

/* highlight.c --------------------------------------------------------------------------------------------------------
 */
typedef enum Paint {
    PAINT_PLAIN, PAINT_KEYWORD, PAINT_TYPE, PAINT_NUMBER, PAINT_STRING, PAINT_COMMENT, PAINT_CALL, PAINT_COMMAND,
    PAINT_MATCH, /* the bracket at the cursor, and the other one */
    PAINT_WRONG, PAINT__COUNT
} Paint;
/* One Paint for each byte of the text. cursor: where brackets are matched; -1: nowhere. */
void highlight(const char *text, size_t n, int cursor, unsigned char *paints);
const char *highlight_code(Paint p); /* what to send before it */
int highlight_depth(const char *text, size_t n); /* how many brackets are open at the end */
bool is_type_name(const char *text, size_t n); /* f32, index, f32x4, ... */

/* words.c: what may be completed -------------------------------------------------------------------------------------
 */
typedef struct Words {
    Arena arena;
    Vec(const char *) at;
    bool files; /* names of files instead */
} Words;
typedef struct Session Session;
/* The words that begin with what stands between `start` and the end of text[0..n). */
void words_for(Session *s, const char *text, size_t n, size_t start, Words *out);
bool words_want_files(const char *text, size_t n);
void words_free(Words *w);

/* edit.c: readline
 * ------------------------------------------------------------------------------------------------------ */
typedef enum EditEnd { EDIT_INPUT, EDIT_DISCARDED, EDIT_LEFT } EditEnd;
typedef struct EditHow {
    const char *prompt, *more; /* of the first line and of those that follow; of one width */
    bool colour, keep_history;
    bool (*unfinished)(const char *text, size_t n);
    Session *session; /* for words_for */
} EditHow;
void edit_open(const EditHow *how); /* one at a time: readline is */
EditEnd edit_read(Buf *input);
/* To the file of inputs, before it runs; one that repeats the last is left out. */
void edit_remember(const char *input);
void edit_history(int last, Buf *out); /* the last inputs, oldest first */
void edit_typed(const char *bytes, size_t n); /* what was read in passing counts as typed */

#endif
