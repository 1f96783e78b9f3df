/* complete.h -- tests whether an input is complete, or whether the prompt should continue on the next line. */
#ifndef KDSL_COMPLETE_H
#define KDSL_COMPLETE_H

#include <stddef.h>

typedef enum InputState {
    INPUT_COMPLETE,   /* valid syntax: items, statements, or a final expression */
    INPUT_INCOMPLETE, /* the text ends inside a construct */
    INPUT_WRONG,      /* an error, and no bracket is open */
} InputState;

/* A syntactic test only. Inputs are short, so the text is parsed from the start each time. */
InputState input_state(const char *text, size_t n);

#endif
