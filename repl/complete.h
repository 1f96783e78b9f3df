/* complete.h -- the first question of an interactive loop: is this input finished, or should the prompt ask for more?
 */
#ifndef KDSL_COMPLETE_H
#define KDSL_COMPLETE_H

#include <stddef.h>

typedef enum InputState {
    INPUT_COMPLETE,   /* parses: as items, as statements, or as one expression */
    INPUT_INCOMPLETE, /* right so far, but ends in the middle of something */
    INPUT_WRONG,      /* no further text can mend it */
} InputState;

/* Looks only at the syntax. Lines are short, so it parses from the start each time. */
InputState input_state(const char *text, size_t n);

#endif
