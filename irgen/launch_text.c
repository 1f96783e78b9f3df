/* launch_text.c -- --explain=launch as text. */
#include "irgen/told.h"

#include <string.h>

enum { LABEL = 11 }; /* width in columns */

static void label(Buf *out, const char *name) { buf_printf(out, "  %-*s", LABEL, name); }

/* Geometry and devices --------------------------------------------------------------------------------------------- */

static void print_threads(const LaunchKernel *k, Buf *out) {
    label(out, "threads");
    for (int axis = 0; axis < k->n_axes; axis++)
        buf_printf(out, "%s%lld", axis ? " x " : "", (long long)k->threads[axis]);
    buf_puts(out, " per block");
    for (int axis = 0; k->n_axes > 1 && axis < k->n_axes; axis++)
        buf_printf(out, "%s`%s` along %c", axis ? ", " : ": ", k->axis[axis], "xyz"[axis]);
    if (k->varies) buf_puts(out, k->n_axes > 1 ? "; different for small domains" : "; fewer for small domains");
    buf_putc(out, '\n');
}

static void print_needs(const LaunchNeeds *d, Buf *out) {
    label(out, d->arch);
    if (!d->known) buf_puts(out, "registers unknown: ptxas is not installed");
    else if (d->is_amd) buf_printf(out, "%d vector and %d scalar registers", d->registers, d->scalars);
    else buf_printf(out, "%d registers", d->registers);
    if (d->known && d->spilled) buf_printf(out, ", %d bytes spilled", d->spilled);
    else if (d->known) buf_puts(out, ", no spills");
    buf_printf(out, "\n  %-*s", LABEL, "");
    if (!d->has_occupancy) buf_printf(out, "occupancy unknown\n");
    else
        buf_printf(out, "occupancy: %s%d block%s per %s, %d of %d threads (%d %%), limited by %s\n",
                   d->known ? "" : "at most ", d->blocks, d->blocks == 1 ? "" : "s",
                   d->is_amd ? "compute unit" : "multiprocessor", d->threads, d->most_threads,
                   100 * d->threads / d->most_threads, d->limit);
}

/* Accesses and branches -------------------------------------------------------------------------------------------- */

/* "12:7", or the whole place in a function of another file. */
static void print_place(const LaunchKernel *k, const char *function, const char *file, int line, int col, Buf *out) {
    if (strcmp(file, k->file)) buf_printf(out, "%s, %s:", function, file);
    buf_printf(out, "%d:%d", line, col);
}

static int padded(Buf *out, size_t from, int width) {
    int n = (int)(out->n - from);
    for (int i = n; i < width; i++) buf_putc(out, ' ');
    return n > width ? n : width;
}

/* Appends the place, right-aligned, and returns its width. */
static int put_place(const LaunchKernel *k, const LaunchAccessNote *x, int width, Buf *out) {
    Buf text = {0};
    print_place(k, x->function, x->file, x->line, x->col, &text);
    int n = (int)text.n;
    buf_printf(out, "%*s", width, text.at);
    buf_free(&text);
    return n > width ? n : width;
}

static int put_steps(const LaunchAccessNote *x, int width, Buf *out) {
    size_t from = out->n;
    if (strcmp(x->memory, "global")) buf_puts(out, x->memory);
    buf_printf(out, "%s%s", from < out->n && *x->steps ? ", " : "", x->steps);
    return padded(out, from, width);
}

static int put_text(const LaunchAccessNote *x, int width, Buf *out) {
    size_t from = out->n;
    buf_puts(out, x->text);
    return padded(out, from, width);
}

typedef struct Widths {
    int place, text, steps;
} Widths;

static Widths print_access(const LaunchKernel *k, const LaunchAccessNote *x, Widths w, Buf *out) {
    buf_puts(out, "    ");
    w.place = put_place(k, x, w.place, out);
    buf_printf(out, "  %-6s  ", x->mode);
    w.text = put_text(x, w.text, out);
    buf_puts(out, "  ");
    w.steps = put_steps(x, w.steps, out);
    buf_printf(out, "  %s%s%s\n", x->cost, x->advice ? "; " : "", x->advice ? x->advice : "");
    return w;
}

/* Written twice: the first time to find out how wide the columns are. */
static void print_accesses(const LaunchKernel *k, Buf *out) {
    label(out, "memory");
    buf_puts(out, k->accesses.n ? "accesses of one warp, 32 neighbouring work items\n" : "none\n");
    Widths w = {0};
    size_t from = out->n;
    for (int i = 0; i < k->accesses.n; i++) w = print_access(k, &k->accesses.at[i], w, out);
    out->n = from;
    for (int i = 0; i < k->accesses.n; i++) print_access(k, &k->accesses.at[i], w, out);
}

const char *launch_branch_text(const LaunchBranchNote *b) {
    return b->is_loop    ? "every work item of the warp waits for the longest trip count"
           : b->only_edges ? "only in a warp at the edge of the domain"
           : b->each_group ? "only in one warp of each group, where the condition changes"
                           : "both paths are executed, under masks";
}

static void print_branches(const LaunchKernel *k, Buf *out) {
    label(out, "branches");
    buf_puts(out, k->branches.n ? "divergent within a warp\n" : "none is divergent within a warp\n");
    for (int i = 0; i < k->branches.n; i++) {
        const LaunchBranchNote *b = &k->branches.at[i];
        buf_puts(out, "    ");
        print_place(k, b->function, b->file, b->line, b->col, out);
        buf_printf(out, "  %s `%s`: %s%s\n", b->is_loop ? "loop" : "if", b->text, launch_branch_text(b),
                   b->from_memory ? "; it depends on values from memory" : "");
    }
    if (k->barriers) buf_printf(out, "  %-*s%d in the source\n", LABEL, "barriers", k->barriers);
}

void launch_kernels_print(const LaunchKernels *kernels, Buf *out) {
    for (int i = 0; i < kernels->n; i++) {
        const LaunchKernel *k = &kernels->at[i];
        buf_printf(out, "%skernel %s, %s:%d: %s\n", i ? "\n" : "", k->kernel, k->file, k->line, k->domain);
        print_threads(k, out);
        buf_printf(out, "  %-*s%s\n  %-*s%s\n", LABEL, "blocks", k->blocks, LABEL, "items", k->items);
        if (k->shared) buf_printf(out, "  %-*s%lld bytes per block\n", LABEL, "shared", (long long)k->shared);
        for (int d = 0; d < k->needs.n; d++) print_needs(&k->needs.at[d], out);
        print_accesses(k, out);
        print_branches(k, out);
    }
}
