/* vector_text.c -- --explain=vector as text, which --nest-plan reads (simd/plan_text.c). */
#include "irgen/told.h"

static void print_remarks(const VectorRemarks *remarks, Buf *out) {
    for (int i = 0; i < remarks->n; i++) {
        const VectorRemark *r = &remarks->at[i];
        buf_puts(out, "  ");
        if (r->file) buf_printf(out, "%s:%d:%d: ", r->file, r->line, r->col);
        buf_printf(out, "%s\n", r->text);
    }
}

static void print_nest(const VectorNest *n, Buf *out) {
    buf_printf(out, "kernel %s: ", n->kernel);
    if (!n->is_vector) buf_puts(out, "not vectorised\n");
    if (n->is_vector && n->line) buf_printf(out, "work items from line %d: ", n->line);
    if (n->is_vector) buf_printf(out, "%d lanes", n->lanes);
    if (n->vectors > 1) buf_printf(out, ", %d vectors at a time", n->vectors);
    if (n->rows > 1) buf_printf(out, ", of %d rows", n->rows);
    if (n->is_unrolled) buf_puts(out, ", unrolled: values stored in earlier iterations are kept in registers");
    if (n->is_vector) buf_putc(out, '\n');
    print_remarks(&n->head, out);
    print_remarks(&n->remarks, out);
    if (n->is_vector && !n->remarks.n && !n->has_versions) buf_puts(out, "  nothing that is slow in vector code\n");
}

static void print_plan(const VectorNest *n, const VectorPlan *p, Buf *out) {
    buf_printf(out, "  plan %s.%d.%d for=%s lanes=%d vectors=%d rows=%d", n->kernel, n->number, p->version, p->launches,
               p->lanes, p->vectors, p->rows);
    if (p->band > 1) buf_printf(out, " band=%d", p->band);
    buf_printf(out, " start=%s tail=%s stream=%s split=%s unroll=%s", p->start, p->tail, p->stream, p->split,
               p->unroll ? "yes" : "no");
    if (p->tile) buf_printf(out, " tile=%d", p->tile);
    buf_puts(out, "\n");
}

void vector_notes_print(const VectorNotes *notes, Buf *out) {
    for (int i = 0; i < notes->nests.n; i++) {
        const VectorNest *n = &notes->nests.at[i];
        if (!n->is_repeat) print_nest(n, out);
        for (int k = 0; k < n->plans.n; k++) print_plan(n, &n->plans.at[k], out);
    }
}
