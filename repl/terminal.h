/* terminal.h -- the user interface on a terminal: capabilities of the screen, syntax highlighting, line editing,
 * completion. */
#ifndef KDSL_TERMINAL_H
#define KDSL_TERMINAL_H

#include "repl/draw.h"

/* terminal.c ------------------------------------------------------------------------------------------------------ */
typedef enum Graphics { GRAPHICS_UNKNOWN, GRAPHICS_CELLS, GRAPHICS_SIXEL, GRAPHICS_KITTY } Graphics;
typedef struct Terminal {
    bool interactive; /* input and output are a terminal; else plain lines */
    Depth depth;
    Graphics graphics; /* set by terminal_graphics on first use */
} Terminal;
void terminal_look(Terminal *t, bool colour);
void terminal_size(const Terminal *t, int *columns, int *rows);
Graphics terminal_graphics(Terminal *t);

/* highlight.c ------------------------------------------------------------------------------------------------------ */
typedef enum Paint {
    PAINT_PLAIN, PAINT_KEYWORD, PAINT_TYPE, PAINT_NUMBER, PAINT_STRING, PAINT_COMMENT, PAINT_CALL, PAINT_COMMAND,
    PAINT_MATCH, /* the bracket at the cursor, and the matching one */
    PAINT_WRONG, PAINT__COUNT
} Paint;
/* Sets a Paint for each byte of the text. cursor: matches the bracket there; -1: no cursor. */
void highlight(const char *text, size_t n, int cursor, unsigned char *paints);
const char *highlight_code(Paint p); /* the escape sequence for it */
int highlight_depth(const char *text, size_t n); /* number of open brackets at the end */
bool is_type_name(const char *text, size_t n); /* f32, index, f32x4, ... */

/* words.c: completion ---------------------------------------------------------------------------------------------- */
typedef struct Words {
    Arena arena;
    Vec(const char *) at;
    bool files; /* complete file names instead */
} Words;
typedef struct Session Session;
/* The words that begin with the text between `start` and the end of text[0..n). */
void words_for(Session *s, const char *text, size_t n, size_t start, Words *out);
bool words_want_files(const char *text, size_t n);
void words_free(Words *w);

/* edit.c: readline ------------------------------------------------------------------------------------------------- */
typedef enum EditEnd { EDIT_INPUT, EDIT_DISCARDED, EDIT_LEFT } EditEnd;
typedef struct EditHow {
    const char *prompt, *more; /* prompts of the first line and of continuation lines; equal width */
    bool colour, keep_history;
    bool (*unfinished)(const char *text, size_t n);
    Session *session; /* for words_for */
} EditHow;
void edit_open(const EditHow *how); /* only one at a time, because readline has global state */
EditEnd edit_read(Buf *input);
/* Appends the input to the history file, before it is executed; a repetition of the last one is omitted. */
void edit_remember(const char *input);
void edit_history(int last, Buf *out); /* appends the last inputs, oldest first */
void edit_typed(const char *bytes, size_t n); /* bytes that were read by a query of the terminal count as typed */

#endif
