/* display.h -- the input on the screen: rows, colours and cursor position. */
#ifndef KDSL_DISPLAY_H
#define KDSL_DISPLAY_H

#include "repl/terminal.h"

typedef struct DisplayText {
    const char *prompt, *more; /* prompts of the first line and of continuation lines */
    const char *text;
    size_t n, cursor;
    int columns, rows; /* of the screen */
    bool colour, match; /* match: highlight the bracket that matches the one at the cursor */
} DisplayText;

/* The number of rows on the screen, and the row of the cursor, after the last update; {0}: a new line. */
typedef struct Display {
    int n_rows, row;
} Display;

/* Appends to `out` the bytes that change the screen from *d to this text. */
void display_update(Display *d, const DisplayText *t, Buf *out);
/* Moves the cursor to the start of the line below the text. */
void display_leave(Display *d, Buf *out);

#endif
