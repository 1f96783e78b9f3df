/* page.h -- --emit=html: what the compiler knows of a program, as one HTML page that needs no network. */
#ifndef KDSL_PAGE_H
#define KDSL_PAGE_H

#include "driver/options.h"
#include "driver/timing.h"
#include "irgen/irgen.h"

/* Appends the page. o->trace: a file with a timeline of a run (KDSL_TRACE), or NULL. */
bool page_write(Program *p, Options *o, Times *t, Buf *out);

/* What the files page*.c share ------------------------------------------------------------------------------------- */

/* Columns of marks beside the source. */
typedef enum PageSlot {
    SLOT_COPIES,
    SLOT_BOUNDS,
    SLOT_RACES,
    SLOT_VECTOR,
    SLOT_MEMORY,
    SLOT_BRANCHES,
    SLOT__COUNT
} PageSlot;
typedef enum PageLevel { NOTE_GOOD, NOTE_PLAIN, NOTE_SLOW, NOTE_BAD, NOTE__COUNT } PageLevel; /* the worst last */
extern const char *const page_slots[SLOT__COUNT], *const page_levels[NOTE__COUNT];

typedef struct PageNote {
    int key; /* the line it is about */
    PageSlot slot;
    PageLevel level;
    const char *mark, *text; /* mark: one to three characters */
    int order;
} PageNote;

/* Code that was made of the program: its text, and the key of the source line by line of the text; 0: of none. */
typedef struct PagePane {
    const char *id, *title;
    Buf text;
    Vec(int) keys;
} PagePane;

typedef struct PageTrack {
    const char *name;
    int pid, tid;
} PageTrack;
typedef struct PageEvent {
    double ts, dur; /* in microseconds */
    const char *name, *category;
    int key, track;
    int64_t bytes, items; /* -1: not told */
} PageEvent;
typedef struct PageTrace {
    Vec(PageEvent) events; /* the longest, in the order of time */
    Vec(PageTrack) tracks;
    int n_dropped;         /* by the program, or because the page shows only so many */
} PageTrace;

typedef struct Page {
    Compiler *c;
    const Program *p;
    Arena *arena;
    Vec(const Source *) files; /* that are shown: the program's own ones, the main file first */
    CheckNotes checks;
    TransferNotes transfers;
    LaunchKernels kernels;
    const VectorNotes *vector;
    Vec(PageNote) notes;       /* by line, then by slot */
    Vec(PagePane) panes;
    PageTrace trace;
} Page;

enum { PAGE_LINES = 1000000 }; /* a key is the number of the file times this, plus the line */
int page_key(const Page *page, const char *file, int line); /* 0: the file is not shown */

void page_collect(Page *page); /* page_notes.c: fills page->notes */
/* page_code.c: of a text that was made with debug information, which is left out. */
void page_add_assembly(Page *page, const char *id, const char *title, const char *text);
void page_add_ir(Page *page, const char *id, const char *title, const char *text);
bool page_read_trace(Page *page, const char *path); /* page_trace.c */
void page_print(const Page *page, Buf *out);        /* page_print.c */

#endif
