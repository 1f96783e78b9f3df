/* pack.c -- packing and loop tiling (Goto, van de Geijn 2008): where the items below one another all read the same
 * elements in their loops, as those of b in `for k in l { s += a[k, i] * b[k, j]; }`, a tile of columns of the nest
 * reads a panel of l rows as wide as the tile. It is copied to contiguous memory once, and all rows of the nest read
 * the copy, before the next tile begins. The rows of the panel in the array are far apart: each is on a page of its
 * own, and if they are a power of two apart they share few sets of the caches, so that reading them again takes nearly
 * as long as the first time. What the items of a row all read in columns, as those of a, is packed likewise, for a band
 * of as many rows as have room:
 *
 *     for bands of rows { pack a[.., band]
 *         for tiles of columns { pack b[.., tile]; for y in band, x in tile { item } } }
 *
 * Where neighbours along the row read elements that are far apart, as those of b in `s += a[i, k] * b[j, k]`, the panel
 * is their transpose, and vectors of items read it as they would read b[k, j]. For launches in which that does not pay
 * there is the nest as it was (loop versioning).
 *
 * panels.c says what is packed, and when that is legal. Where items part ways at edges, as in `if j <= i { ... }`,
 * tiles are packed of which a row has no such items. */
#include "irgen/simd/emit.h"
#include "irgen/simd/panels.h"

enum {
    LINES_OF_3 = 3,           /* that a row of a panel has, for blocks of 3 or 6 vectors, */
    LINES_OF_4 = 4,           /* and for those of 2 or 4 */
    COLUMN_BYTES = 640 << 10, /* of the panels of columns: less than the second-level cache */
    ROW_BYTES = 2 << 20,      /* of those of a band's rows, each of which is read once for each tile */
    BAND_ROWS = 24,           /* a multiple of the rows of blocks of most sizes */
    LEAST_ROWS = 32,          /* that read a panel, if an array is larger than the last-level cache, */
    LARGE_BYTES = 16 << 20,   /* and is that from here on; */
    LEAST_NEAR_ROWS = 128,    /* if it is not: then it takes longer to copy than to read it again a few times; */
    LEAST_FAR_ROWS = 96,      /* and if the panel is transposed */
    LEAST_TILES = 4,          /* that read the rows of a band */
    LINE_COLUMNS = 1536,      /* of a tile with lines: a multiple of the vectors of all blocks; */
    LEAST_LINE_ROWS = 16      /* that read a line: more than a few blocks */
};

typedef struct Packing {
    Cg *cg;
    SimdRegion *g;
    Panels panels;
    LLVMBuilderRef b;
    LLVMBasicBlockRef head; /* of the nest */
    int columns;            /* of a tile */
    SimdPanelMemory *memory;
    LLVMValueRef y, y_end; /* the band */
    LLVMValueRef x, x_end; /* the tile */
    LLVMValueRef pays;     /* columns are packed, of the tile at hand */
} Packing;

static bool has(const Packing *p, PanelKind kind) {
    for (int i = 0; i < p->panels.n; i++)
        if (p->panels.at[i].kind == kind) return true;
    return false;
}

/* Neighbours' elements are far apart: without a panel the nest needs other vector code. */
static bool needs_versions(const Packing *p) {
    for (int i = 0; i < p->panels.n; i++)
        if (p->panels.at[i].is_far) return true;
    return false;
}

/* Panels of lines, which have no others beside them. */
static bool has_lines(const Packing *p) { return p->panels.at[0].is_line; }

/* Code ------------------------------------------------------------------------------------------------------------- */

static LLVMValueRef number(const Packing *p, int64_t v) { return cg_i64(p->cg, v); }
static LLVMValueRef add(Packing *p, LLVMValueRef a, LLVMValueRef b) { return LLVMBuildAdd(p->b, a, b, ""); }
static LLVMValueRef sub(Packing *p, LLVMValueRef a, LLVMValueRef b) { return LLVMBuildSub(p->b, a, b, ""); }
static LLVMValueRef mul(Packing *p, LLVMValueRef a, LLVMValueRef b) { return LLVMBuildMul(p->b, a, b, ""); }

static LLVMValueRef chosen(Packing *p, LLVMIntPredicate if_, LLVMValueRef a, LLVMValueRef b) {
    return LLVMBuildSelect(p->b, LLVMBuildICmp(p->b, if_, a, b, ""), a, b, "");
}
static LLVMValueRef smaller(Packing *p, LLVMValueRef a, LLVMValueRef b) { return chosen(p, LLVMIntSLT, a, b); }
static LLVMValueRef larger(Packing *p, LLVMValueRef a, LLVMValueRef b) { return chosen(p, LLVMIntSGT, a, b); }

static LLVMValueRef both(Packing *p, LLVMValueRef a, LLVMValueRef b) { return LLVMBuildAnd(p->b, a, b, ""); }

static LLVMValueRef behind(Packing *p, LLVMValueRef at, LLVMValueRef bytes) {
    return LLVMBuildGEP2(p->b, p->cg->i8, at, &bytes, 1, "");
}

static LLVMValueRef apart(Packing *p, LLVMValueRef to, LLVMValueRef from) {
    return sub(p, LLVMBuildPtrToInt(p->b, to, p->cg->i64, ""), LLVMBuildPtrToInt(p->b, from, p->cg->i64, ""));
}

static LLVMBasicBlockRef block(Packing *p, const char *name) {
    return LLVMInsertBasicBlockInContext(p->cg->ctx, p->head, name);
}

/* while (at < hi), by a step that the end of the loop says: the builder is left in the body. */
typedef struct Loop {
    LLVMBasicBlockRef head, done;
    LLVMValueRef at;
} Loop;

static Loop begin_loop(Packing *p, LLVMValueRef lo, LLVMValueRef hi, const char *name) {
    LLVMBasicBlockRef before = LLVMGetInsertBlock(p->b), body;
    Loop l = {.head = block(p, name), .done = block(p, "done")};
    body = LLVMInsertBasicBlockInContext(p->cg->ctx, l.done, "body");
    LLVMBuildBr(p->b, l.head);
    LLVMPositionBuilderAtEnd(p->b, l.head);
    l.at = LLVMBuildPhi(p->b, p->cg->i64, "");
    LLVMAddIncoming(l.at, &lo, &before, 1);
    LLVMBuildCondBr(p->b, LLVMBuildICmp(p->b, LLVMIntSLT, l.at, hi, ""), body, l.done);
    LLVMPositionBuilderAtEnd(p->b, body);
    return l;
}

static void end_loop(Packing *p, const Loop *l, LLVMValueRef next) {
    LLVMBasicBlockRef here = LLVMGetInsertBlock(p->b);
    LLVMValueRef latch = LLVMBuildBr(p->b, l->head);
    LLVMAddIncoming(l->at, &next, &here, 1);
    simd_keep_scalar(p->cg, latch);
    LLVMPositionBuilderAtEnd(p->b, l->done);
}

/* if holds { ... }: the builder is left where it holds; the end of it goes to `on`. */
typedef struct If {
    LLVMBasicBlockRef before, then, on;
} If;

static If begin_if(Packing *p, LLVMValueRef holds) {
    If i = {LLVMGetInsertBlock(p->b), block(p, "pack"), block(p, "packed")};
    LLVMBuildCondBr(p->b, holds, i.then, i.on);
    LLVMPositionBuilderAtEnd(p->b, i.then);
    return i;
}

static void end_if(Packing *p, If *i) {
    i->then = LLVMGetInsertBlock(p->b);
    LLVMBuildBr(p->b, i->on);
    LLVMPositionBuilderAtEnd(p->b, i->on);
}

static LLVMValueRef either(Packing *p, const If *i, LLVMValueRef then, LLVMValueRef otherwise) {
    if (then == otherwise) return then;
    LLVMValueRef v = LLVMBuildPhi(p->b, LLVMTypeOf(then), ""), values[2] = {then, otherwise};
    LLVMBasicBlockRef from[2] = {i->then, i->before};
    LLVMAddIncoming(v, values, from, 2);
    return v;
}

/* A value of the nest at other counters. counter NULL: it has none. */
static LLVMValueRef value_at(Packing *p, LLVMValueRef v, LLVMValueRef x, LLVMValueRef y, const Panel *of,
                             LLVMValueRef round) {
    if (v == p->g->x) return x;
    if (v == p->g->y) return y;
    if (of && v == of->c.counter) return round;
    if (value_map_get(p->g->value_of, v) < 0) return v;
    if (simd_is_of_all_rows(v)) return value_at(p, LLVMGetOperand(v, 0), x, y, of, round);
    LLVMValueRef copy = LLVMInstructionClone(v);
    for (int i = 0; i < LLVMGetNumOperands(v); i++)
        LLVMSetOperand(copy, (unsigned)i, value_at(p, LLVMGetOperand(v, (unsigned)i), x, y, of, round));
    LLVMInsertIntoBuilder(p->b, copy);
    return copy;
}

/* There may be no such round, nor such an item. */
static LLVMValueRef address_at(Packing *p, const Panel *of, LLVMValueRef x, LLVMValueRef y, LLVMValueRef round) {
    return LLVMBuildFreeze(p->b, value_at(p, simd_address(of->load), x, y, of, round), "");
}

/* While the entry has its branch. */
static LLVMValueRef buffer(Packing *p, int bytes) {
    LLVMPositionBuilderBefore(p->b, LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(p->g->fn)));
    LLVMValueRef at = LLVMBuildAlloca(p->b, LLVMArrayType2(p->cg->i8, (uint64_t)bytes), "panel");
    LLVMSetAlignment(at, SIMD_LINE);
    return at;
}

static LLVMTypeRef element_of(const Panel *of) { return LLVMTypeOf(of->load); }
static int64_t bytes_of(const Packing *p, const Panel *of) { return simd_bytes(p->g, element_of(of)); }

/* Panels ----------------------------------------------------------------------------------------------------------- */

/* The rounds of the band's rows; there may be none. */
static void find_rounds(Packing *p, Panel *of) {
    LLVMValueRef y[2] = {p->y, sub(p, p->y_end, number(p, 1))}, lo[2], hi[2];
    if (of->is_line) {
        of->lo = number(p, 0);
        of->hi = number(p, 1);
        return;
    }
    for (int i = 0; i < 2; i++) {
        lo[i] = LLVMBuildFreeze(p->b, value_at(p, of->c.lo, NULL, y[i], NULL, NULL), "");
        hi[i] = LLVMBuildFreeze(p->b, value_at(p, of->c.hi, NULL, y[i], NULL, NULL), "");
    }
    of->lo = !simd_is_of_nest(p->g, of->c.lo) ? lo[0] : smaller(p, lo[0], lo[1]);
    of->hi = !simd_is_of_nest(p->g, of->c.hi) ? hi[0] : larger(p, hi[0], hi[1]);
    if (of->c.includes_hi) of->hi = add(p, of->hi, number(p, 1));
    of->hi = larger(p, of->lo, of->hi);
}

static LLVMValueRef rounds_of(Packing *p, const Panel *of) { return sub(p, of->hi, of->lo); }

static void copy_element(Packing *p, LLVMTypeRef t, int64_t bytes, LLVMValueRef from, LLVMValueRef to) {
    LLVMValueRef one = LLVMBuildLoad2(p->b, t, from, "");
    LLVMSetAlignment(one, (unsigned)bytes);
    LLVMSetAlignment(LLVMBuildStore(p->b, one, to), (unsigned)bytes);
}

/* All columns of a tile that is whole, in vectors. */
static void copy_whole(Packing *p, const Panel *of, LLVMValueRef to) {
    int64_t bytes = bytes_of(p, of);
    Loop k = begin_loop(p, of->lo, of->hi, "pack.rounds");
    LLVMValueRef place = mul(p, sub(p, k.at, of->lo), number(p, p->columns * bytes));
    copy_element(p, LLVMVectorType(element_of(of), (unsigned)p->columns), bytes, address_at(p, of, p->x, p->y, k.at),
                 behind(p, to, place));
    end_loop(p, &k, add(p, k.at, number(p, 1)));
}

/* Those of `from` to `to` that this row executes: what it reads in others, no item may read. */
static void keep_rounds_of_row(Packing *p, const Panel *of, LLVMValueRef y, LLVMValueRef *from, LLVMValueRef *to) {
    LLVMValueRef lo = value_at(p, of->c.lo, NULL, y, NULL, NULL), hi = value_at(p, of->c.hi, NULL, y, NULL, NULL);
    if (of->c.includes_hi) hi = add(p, hi, number(p, 1));
    *from = larger(p, *from, LLVMBuildFreeze(p->b, lo, ""));
    *to = smaller(p, *to, LLVMBuildFreeze(p->b, hi, ""));
}

/* Element by element, so many rounds of each item at a time as a line has: element (round, i) of the panel lies at
 * i * across + round * step. */
static void copy_elements(Packing *p, const Panel *of, LLVMValueRef to, LLVMValueRef across, LLVMValueRef step) {
    bool is_row = of->kind == PANEL_ROWS;
    LLVMValueRef lo = is_row ? p->y : p->x, hi = is_row ? p->y_end : p->x_end, one = number(p, 1);
    LLVMValueRef some = number(p, SIMD_LINE / bytes_of(p, of));
    Loop lines = begin_loop(p, of->lo, of->hi, "pack.lines");
    LLVMValueRef end = smaller(p, add(p, lines.at, some), of->hi);
    Loop i = begin_loop(p, lo, hi, "pack.items");
    LLVMValueRef item = mul(p, sub(p, i.at, lo), across);
    LLVMValueRef first = lines.at, last = end;
    if (is_row) keep_rounds_of_row(p, of, i.at, &first, &last);
    Loop k = begin_loop(p, first, last, "pack.rounds");
    LLVMValueRef from = address_at(p, of, is_row ? NULL : i.at, is_row ? i.at : p->y, k.at);
    LLVMValueRef place = add(p, item, mul(p, sub(p, k.at, of->lo), step));
    copy_element(p, element_of(of), bytes_of(p, of), from, behind(p, to, place));
    end_loop(p, &k, add(p, k.at, one));
    end_loop(p, &i, add(p, i.at, one));
    end_loop(p, &lines, end);
}

/* Are the items from x to `last` of this row inside? */
static LLVMValueRef is_inside(Packing *p, LLVMValueRef x, LLVMValueRef last, LLVMValueRef y) {
    return simd_inside_upto(p->g, p->b, 1, x, last, y);
}

static LLVMValueRef last_row(Packing *p) { return sub(p, p->y_end, number(p, 1)); }

/* If only items that are inside read it, the elements of those columns of which the first or the last row has such a
 * one. */
static void copy_line(Packing *p, const Panel *of, LLVMValueRef to) {
    Loop i = begin_loop(p, p->x, p->x_end, "pack.items");
    If reads = {0};
    if (of->of_some) {
        LLVMValueRef first = is_inside(p, i.at, i.at, p->y), last = is_inside(p, i.at, i.at, last_row(p));
        reads = begin_if(p, LLVMBuildOr(p->b, first, last, ""));
    }
    LLVMValueRef place = mul(p, sub(p, i.at, p->x), number(p, bytes_of(p, of)));
    copy_element(p, element_of(of), bytes_of(p, of), address_at(p, of, i.at, p->y, NULL), behind(p, to, place));
    if (of->of_some) end_if(p, &reads);
    end_loop(p, &i, add(p, i.at, number(p, 1)));
}

static void copy_columns(Packing *p, const Panel *of, LLVMValueRef to) {
    LLVMValueRef across = number(p, bytes_of(p, of)), step = number(p, bytes_of(p, of) * p->columns);
    if (of->is_line) {
        copy_line(p, of, to);
        return;
    }
    if (of->is_far) {
        copy_elements(p, of, to, across, step);
        return;
    }
    LLVMValueRef is_whole = LLVMBuildICmp(p->b, LLVMIntEQ, sub(p, p->x_end, p->x), number(p, p->columns), "");
    LLVMBasicBlockRef whole = block(p, "whole"), part = block(p, "part"), done = block(p, "copied");
    LLVMBuildCondBr(p->b, is_whole, whole, part);
    LLVMPositionBuilderAtEnd(p->b, whole);
    copy_whole(p, of, to);
    LLVMBuildBr(p->b, done);
    LLVMPositionBuilderAtEnd(p->b, part);
    copy_elements(p, of, to, across, step);
    LLVMBuildBr(p->b, done);
    LLVMPositionBuilderAtEnd(p->b, done);
}

/* base + counter * step + (x or y) * across is `first` for the first item of the tile or band, in the first round. */
static LLVMValueRef base_of(Packing *p, const Panel *of, LLVMValueRef first, LLVMValueRef step, LLVMValueRef across) {
    LLVMValueRef from = of->kind == PANEL_ROWS ? p->y : p->x;
    LLVMValueRef back = add(p, mul(p, of->lo, step), mul(p, from, across));
    return behind(p, first, LLVMBuildNeg(p->b, back, ""));
}

/* As it is in the array. */
static void place_in_array(Packing *p, Panel *of) {
    LLVMValueRef one = number(p, 1), first = address_at(p, of, p->x, p->y, of->lo);
    of->step = apart(p, address_at(p, of, p->x, p->y, add(p, of->lo, one)), first);
    of->across = of->kind == PANEL_COLUMNS ? number(p, bytes_of(p, of))
                                           : apart(p, address_at(p, of, p->x, add(p, p->y, one), of->lo), first);
    of->base = base_of(p, of, first, of->step, of->across);
}

/* What has been chosen before, or, where the panel is packed, what is in it. */
static void choose(Packing *p, Panel *of, const If *i, LLVMValueRef base, LLVMValueRef step, LLVMValueRef across) {
    of->base = either(p, i, base, of->base);
    of->step = either(p, i, step, of->step);
    of->across = either(p, i, across, of->across);
}

/* Bytes from a row of a panel of rows to the next one: an odd number of lines, so that they have all sets of a cache.
 */
static LLVMValueRef row_bytes(Packing *p, const Panel *of) {
    LLVMValueRef bytes = mul(p, rounds_of(p, of), number(p, bytes_of(p, of)));
    bytes = LLVMBuildAnd(p->b, add(p, bytes, number(p, SIMD_LINE - 1)), number(p, -SIMD_LINE), "");
    return LLVMBuildOr(p->b, bytes, number(p, SIMD_LINE), "");
}

/* Has each row of the band an item inside? Those of the first or of the last column are looked at. */
static LLVMValueRef rows_have_items(Packing *p) {
    LLVMValueRef x[2] = {p->g->x_lo, sub(p, p->g->x_hi, number(p, 1))}, in[2];
    for (int i = 0; i < 2; i++)
        in[i] = LLVMBuildAnd(p->b, is_inside(p, x[i], x[i], p->y), is_inside(p, x[i], x[i], last_row(p)), "");
    return LLVMBuildOr(p->b, in[0], in[1], "");
}

static bool has_moving_rounds(const Packing *p) {
    for (int i = 0; i < p->panels.n; i++) {
        const Panel *of = &p->panels.at[i];
        bool moves = simd_is_of_nest(p->g, of->c.lo) || simd_is_of_nest(p->g, of->c.hi);
        if (of->kind == PANEL_COLUMNS && moves) return true;
    }
    return false;
}

/* Has the tile a row of which all items are inside, and which executes all rounds of the panels? The first and the last
 * one are looked at, either of which may have the most rounds. */
static LLVMValueRef has_whole_row(Packing *p) {
    LLVMValueRef last = sub(p, p->x_end, number(p, 1));
    LLVMValueRef a = is_inside(p, p->x, last, p->y), b = is_inside(p, p->x, last, last_row(p));
    return has_moving_rounds(p) ? LLVMBuildAnd(p->b, a, b, "") : LLVMBuildOr(p->b, a, b, "");
}

/* How many rows of the nest a band has. *fits: its panels of rows have room. Where all of them do, they stay in the
 * caches as they are, and one band is left as it is. */
static LLVMValueRef band_rows(Packing *p, LLVMValueRef rows, LLVMValueRef *fits) {
    LLVMValueRef bytes = number(p, 0);
    for (int i = 0; i < p->panels.n; i++)
        if (p->panels.at[i].kind == PANEL_ROWS) bytes = add(p, bytes, row_bytes(p, &p->panels.at[i]));
    LLVMValueRef some = LLVMBuildUDiv(p->b, number(p, ROW_BYTES), bytes, "");
    some = sub(p, some, LLVMBuildURem(p->b, some, number(p, BAND_ROWS), ""));
    LLVMValueRef columns = sub(p, p->g->x_hi, p->g->x_lo);
    LLVMValueRef are_many = LLVMBuildICmp(p->b, LLVMIntSGT, rows, some, "");
    *fits = LLVMBuildAnd(p->b, LLVMBuildICmp(p->b, LLVMIntSGE, some, number(p, LEAST_ROWS), ""),
                         LLVMBuildICmp(p->b, LLVMIntSGE, columns, number(p, LEAST_TILES * p->columns), ""), "");
    *fits = LLVMBuildAnd(p->b, *fits, are_many, "");
    return LLVMBuildSelect(p->b, *fits, some, larger(p, rows, number(p, 1)), "");
}

static void pack_rows(Packing *p, LLVMValueRef fits, LLVMValueRef to) {
    for (int i = 0; i < p->panels.n; i++)
        if (p->panels.at[i].kind == PANEL_ROWS) place_in_array(p, &p->panels.at[i]);
    If pack = begin_if(p, p->panels.has_edges ? LLVMBuildAnd(p->b, fits, rows_have_items(p), "") : fits);
    LLVMValueRef base[MOST_PANELS], step[MOST_PANELS], across[MOST_PANELS];
    for (int i = 0; i < p->panels.n; i++) {
        Panel *of = &p->panels.at[i];
        if (of->kind != PANEL_ROWS) continue;
        step[i] = number(p, bytes_of(p, of));
        across[i] = row_bytes(p, of);
        copy_elements(p, of, to, across[i], step[i]);
        base[i] = base_of(p, of, to, step[i], across[i]);
        to = behind(p, to, mul(p, across[i], sub(p, p->y_end, p->y)));
    }
    end_if(p, &pack);
    for (int i = 0; i < p->panels.n; i++)
        if (p->panels.at[i].kind == PANEL_ROWS) choose(p, &p->panels.at[i], &pack, base[i], step[i], across[i]);
}

/* For this band: are there enough rows that read panels of columns, enough rounds, and room? */
static LLVMValueRef columns_pay(Packing *p) {
    if (has_lines(p))
        return LLVMBuildICmp(p->b, LLVMIntSGE, sub(p, p->y_end, p->y), number(p, LEAST_LINE_ROWS), "");
    LLVMValueRef bytes = number(p, 0), rounds = number(p, 0), columns = sub(p, p->g->x_hi, p->g->x_lo);
    for (int i = 0; i < p->panels.n; i++) {
        if (p->panels.at[i].kind != PANEL_COLUMNS) continue;
        rounds = add(p, rounds, rounds_of(p, &p->panels.at[i]));
        bytes = add(p, bytes, mul(p, rounds_of(p, &p->panels.at[i]), number(p, bytes_of(p, &p->panels.at[i]))));
    }
    LLVMValueRef rows = sub(p, p->y_end, p->y), least = number(p, LEAST_FAR_ROWS);
    LLVMValueRef is_large = LLVMBuildICmp(p->b, LLVMIntSGT, mul(p, bytes, columns), number(p, LARGE_BYTES), "");
    if (!needs_versions(p))
        least = LLVMBuildSelect(p->b, is_large, number(p, LEAST_ROWS), number(p, LEAST_NEAR_ROWS), "");
    bytes = mul(p, bytes, number(p, p->columns));
    LLVMValueRef all = LLVMBuildICmp(p->b, LLVMIntSGE, rows, least, "");
    all = both(p, all, LLVMBuildICmp(p->b, LLVMIntSGE, rounds, number(p, LEAST_ROUNDS), ""));
    all = both(p, all, LLVMBuildICmp(p->b, LLVMIntSLE, bytes, number(p, COLUMN_BYTES), ""));
    return both(p, all, LLVMBuildICmp(p->b, LLVMIntSGE, columns, number(p, p->columns), ""));
}

static void pack_columns(Packing *p, LLVMValueRef to) {
    for (int i = 0; i < p->panels.n; i++)
        if (p->panels.at[i].kind == PANEL_COLUMNS && !needs_versions(p)) place_in_array(p, &p->panels.at[i]);
    If pack = begin_if(p, p->pays);
    LLVMValueRef base[MOST_PANELS], step[MOST_PANELS], across[MOST_PANELS];
    for (int i = 0; i < p->panels.n; i++) {
        Panel *of = &p->panels.at[i];
        if (of->kind != PANEL_COLUMNS) continue;
        copy_columns(p, of, to);
        across[i] = number(p, bytes_of(p, of));
        step[i] = number(p, bytes_of(p, of) * p->columns);
        base[i] = base_of(p, of, to, step[i], across[i]);
        to = behind(p, to, mul(p, step[i], rounds_of(p, of)));
    }
    end_if(p, &pack);
    for (int i = 0; i < p->panels.n; i++) {
        Panel *of = &p->panels.at[i];
        if (of->kind != PANEL_COLUMNS) continue;
        if (!needs_versions(p)) {
            choose(p, of, &pack, base[i], step[i], across[i]);
            continue;
        }
        of->base = either(p, &pack, base[i], LLVMGetPoison(p->cg->ptr));
        of->step = step[i];
        of->across = across[i];
    }
}

/* The nest --------------------------------------------------------------------------------------------------------- */

static LLVMValueRef condition(const void *of) { return ((const Packing *)of)->pays; }

static void read_panel(const Packing *p, const Panel *of, LLVMValueRef load, LLVMValueRef counter) {
    LLVMBuilderRef b = p->b;
    LLVMPositionBuilderBefore(b, load);
    LLVMSetCurrentDebugLocation2(b, LLVMInstructionGetDebugLoc(load));
    LLVMValueRef rounds = of->is_line ? NULL : LLVMBuildMul(b, counter, of->step, "");
    LLVMValueRef items = LLVMBuildMul(b, of->kind == PANEL_ROWS ? p->g->y : p->g->x, of->across, "");
    LLVMValueRef at = of->is_line ? of->base : LLVMBuildGEP2(b, p->cg->i8, of->base, &rounds, 1, "");
    LLVMSetOperand(load, 0, LLVMBuildGEP2(b, p->cg->i8, at, &items, 1, ""));
}

static void read_panels(const void *packing) {
    const Packing *p = packing;
    for (int i = 0; i < p->panels.n; i++) {
        read_panel(p, &p->panels.at[i], p->panels.at[i].load, p->panels.at[i].c.counter);
        if (p->panels.at[i].rest) read_panel(p, &p->panels.at[i], p->panels.at[i].rest, p->panels.at[i].rest_counter);
    }
}

static void set_bounds(LLVMBasicBlockRef head, LLVMValueRef counter, LLVMValueRef old_lo, LLVMValueRef lo,
                       LLVMValueRef hi) {
    for (unsigned i = 0; i < 2; i++)
        if (LLVMGetIncomingValue(counter, i) == old_lo) LLVMSetOperand(counter, i, lo);
    LLVMValueRef cmp = LLVMGetCondition(LLVMGetBasicBlockTerminator(head));
    LLVMSetOperand(cmp, LLVMGetOperand(cmp, 0) == counter, hi);
}

static void note_tiles(const Packing *p, LLVMValueRef latch) {
    LLVMMetadataRef n = LLVMValueAsMetadata(cg_i32(p->cg, p->columns));
    LLVMSetMetadata(latch, p->cg->md_tile, LLVMMetadataAsValue(p->cg->ctx, LLVMMDNodeInContext2(p->cg->ctx, &n, 1)));
}

/* The nest is entered from here, and leaves to a new block, where the builder is left. */
static void put_nest_here(Packing *p) {
    SimdRegion *g = p->g;
    LLVMBasicBlockRef enter = block(p, "tile"), next = block(p, "tile.done");
    LLVMBuildBr(p->b, enter);
    LLVMPositionBuilderAtEnd(p->b, enter);
    LLVMBuildBr(p->b, p->head);
    simd_replace_incoming(p->b, p->head, g->entry_from, enter);
    g->y = LLVMGetFirstInstruction(p->head); /* a new phi */
    set_bounds(g->outer_head, g->y, g->y_lo, p->y, p->y_end);
    set_bounds(g->inner_head, g->x, g->x_lo, p->x, p->x_end);
    LLVMValueRef leave = LLVMGetBasicBlockTerminator(g->outer_head);
    for (unsigned i = 0; i < LLVMGetNumSuccessors(leave); i++)
        if (LLVMGetSuccessor(leave, i) == g->after) LLVMSetSuccessor(leave, i, next);
    g->entry_from = enter;
    LLVMPositionBuilderAtEnd(p->b, next);
}

static void write_tiles(Packing *p) {
    SimdRegion *g = p->g;
    LLVMValueRef all = larger(p, sub(p, g->x_hi, g->x_lo), number(p, 1));
    p->pays = columns_pay(p);
    LLVMValueRef by = LLVMBuildSelect(p->b, p->pays, number(p, p->columns), all, "");
    Loop tiles = begin_loop(p, g->x_lo, g->x_hi, "tiles");
    p->x = tiles.at;
    p->x_end = smaller(p, add(p, tiles.at, by), g->x_hi);
    if (p->panels.has_edges && !has_lines(p)) p->pays = LLVMBuildAnd(p->b, p->pays, has_whole_row(p), "");
    pack_columns(p, has_lines(p) ? p->memory->lines : p->memory->columns);
    put_nest_here(p);
    end_loop(p, &tiles, p->x_end);
}

static void write_bands(Packing *p) {
    SimdRegion *g = p->g;
    LLVMValueRef fits = NULL;
    p->y = g->y_lo;
    p->y_end = g->y_hi;
    p->x = g->x_lo;
    for (int i = 0; i < p->panels.n; i++) find_rounds(p, &p->panels.at[i]);
    if (!has(p, PANEL_ROWS)) {
        write_tiles(p);
        return;
    }
    LLVMValueRef by = band_rows(p, sub(p, g->y_hi, g->y_lo), &fits);
    Loop bands = begin_loop(p, g->y_lo, g->y_hi, "bands");
    p->y = bands.at;
    p->y_end = smaller(p, add(p, bands.at, by), g->y_hi);
    for (int i = 0; i < p->panels.n; i++) find_rounds(p, &p->panels.at[i]);
    pack_rows(p, fits, p->memory->rows);
    write_tiles(p);
    end_loop(p, &bands, p->y_end);
}

static bool is_whole_nest(const Packing *p) {
    const SimdRegion *g = p->g;
    LLVMValueRef enter = LLVMGetBasicBlockTerminator(g->entry_from);
    int64_t down = simd_trips(g->y_lo, g->y_hi), across = simd_trips(g->x_lo, g->x_hi);
    bool is_large = has_lines(p) ? !down || down >= LEAST_LINE_ROWS
                                 : (!down || down >= LEAST_ROWS) && (!across || across >= LEAST_TILES * p->columns);
    bool has_bounds =
        !simd_is_of_nest(g, g->x_lo) && !simd_is_of_nest(g, g->x_hi) && g->x_lo != g->x_hi && g->y_lo != g->y_hi;
    return is_large && has_bounds && LLVMGetNumSuccessors(enter) == 1 &&
           !LLVMIsAPHINode(LLVMGetFirstInstruction(g->after));
}

static void write(Packing *p, LLVMValueRef latch) {
    SimdRegion *g = p->g;
    LLVMBasicBlockRef after = g->after;
    LLVMValueRef enter = LLVMGetBasicBlockTerminator(g->entry_from);
    if (has_lines(p) && !p->memory->lines) p->memory->lines = buffer(p, MOST_PANELS * LINE_COLUMNS * 8);
    if (!has_lines(p) && !p->memory->columns) p->memory->columns = buffer(p, COLUMN_BYTES);
    if (!p->memory->rows && has(p, PANEL_ROWS)) p->memory->rows = buffer(p, ROW_BYTES);
    LLVMPositionBuilderBefore(p->b, enter);
    LLVMSetCurrentDebugLocation2(p->b, LLVMInstructionGetDebugLoc(enter));
    LLVMInstructionEraseFromParent(enter);
    LLVMPositionBuilderAtEnd(p->b, g->entry_from);
    write_bands(p);
    LLVMBuildBr(p->b, after);
    if (needs_versions(p))
        simd_make_versions(p->cg, g, &(SimdVersioning){condition, read_panels, p, .for_vectors = true, .both = true});
    else read_panels(p);
    note_tiles(p, latch);
}

/* As the nest is, its blocks would have so many vectors. Where elements are far apart, they say nothing of the nest
 * with panels. Triangular loops are taken apart first, which costs more the more rows a block has. */
static bool find_tile(Packing *p, const SimdTarget *target, LLVMValueRef latch, LLVMValueRef outer_latch) {
    SimdShape shape;
    do {
        if (!simd_find_panels(p->cg, target, latch, outer_latch, &p->panels)) return false;
        shape = simd_shape(p->g, target);
    } while (shape.rows > 1 && simd_write_triangles(p->cg, p->g));
    if (has_lines(p)) {
        p->columns = LINE_COLUMNS;
        return true;
    }
    bool has_4 = shape.vectors % 2 == 0 && !needs_versions(p);
    p->columns = (has_4 ? LINES_OF_4 : LINES_OF_3) * SIMD_LINE * 8 / target->vector_bits * simd_width(p->g, target);
    return true;
}

bool simd_pack_in(Cg *cg, const SimdTarget *target, LLVMValueRef latch, LLVMValueRef outer_latch,
                  SimdPanelMemory *memory) {
    SimdRegion g;
    Packing p = {.cg = cg, .g = &g, .panels.g = &g, .b = cg->b, .memory = memory};
    if (!find_tile(&p, target, latch, outer_latch) || !is_whole_nest(&p)) return false;
    p.head = g.outer_head;
    write(&p, latch);
    return true;
}
