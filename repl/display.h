/* display.h -- an input as it stands on the screen: rows, colours, and where the cursor is among them. */
#ifndef KDSL_DISPLAY_H
#define KDSL_DISPLAY_H

#include "repl/terminal.h"

typedef struct DisplayText {
    const char *prompt, *more; /* before the first line, and before those that follow */
    const char *text;
    size_t n, cursor;
    int columns, rows; /* of the screen */
    bool colour, match; /* match: show the bracket that belongs to the one at the cursor */
} DisplayText;

/* Rows on the screen, and which of them the cursor is in, as they were left; {0}: a fresh line. */
typedef struct Display {
    int n_rows, row;
} Display;

/* What to send to bring the screen from *d to this text. */
void display_update(Display *d, const DisplayText *t, Buf *out);
/* The cursor to the beginning of the line below the text. */
void display_leave(Display *d, Buf *out);

#endif
