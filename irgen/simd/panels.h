/* panels.h -- what of a nest is packed: panels.c finds it, pack.c writes it. */
#ifndef KDSL_IRGEN_SIMD_PANELS_H
#define KDSL_IRGEN_SIMD_PANELS_H

#include "irgen/simd/interval.h"

enum { LEAST_ROUNDS = 32, MOST_PANELS = 8 };

typedef enum PanelKind { PANEL_COLUMNS, PANEL_ROWS } PanelKind;

/* What a load reads in the rounds of a counted loop; or outside loops, for all rows: a line, a panel of one round. */
typedef struct Panel {
    PanelKind kind;
    bool is_line;
    bool is_far;             /* PANEL_COLUMNS: neighbours along the row read elements that are far apart */
    bool of_some;            /* of a line: only items that are inside (ends.c) read it */
    LLVMValueRef load;
    SimdCounted c;           /* of a line there is none */
    LLVMValueRef rest, rest_counter; /* the same in the iterations that only some rows have (triangle.c); or NULL */
    LLVMValueRef lo, hi;     /* the rounds of all rows of the band */
    LLVMValueRef base, step, across; /* the element of an item is at base + counter * step + (x or y) * across */
} Panel;

/* Of a nest of rows. */
typedef struct Panels {
    SimdRegion *g;
    Panel at[MOST_PANELS];
    int n;
    unsigned md_unwritten;
    bool has_edges;          /* only items that are inside are known to execute the loops */
    bool *by_all;            /* for each block: all items execute it */
} Panels;

/* Reads the nest that ends in these branches. false: it has no panels. */
bool simd_find_panels(Cg *cg, const SimdTarget *target, LLVMValueRef latch, LLVMValueRef outer_latch, Panels *p);
bool simd_is_of_nest(const SimdRegion *g, LLVMValueRef v); /* computed in it, or a counter of it */

#endif
