/* print.c -- printing in kernels: the buffer that a launch maps, and the lines that are made from it after the launch.
 * Also other texts whose values come from a kernel, such as those of asserts. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/failure.h"
#include "runtime/internal.h"

enum { RECORD_SITE, RECORD_ITEM, RECORD_VALUES = 4, DEFAULT_BYTES = 1 << 20, LEAST_BYTES = 256 };

/* One buffer for all launches, which run one after another. Between launches it is empty: all zeros after the
 * header. */
static struct {
    int64_t *at, n_words;
} prints;

/* Texts ------------------------------------------------------------------------------------------------------------ */

static void put_value(const KdslPiece *p, int64_t value) {
    double real;
    switch (p->kind) {
    case 'b': kdsl_text_bool(value != 0, p->width, p->align); return;
    case 'i': kdsl_text_i64(value, p->bits, p->width, p->align, p->zero, p->style); return;
    case 'u': kdsl_text_u64((uint64_t)value, p->width, p->align, p->zero, p->style); return;
    }
    memcpy(&real, &value, sizeof real);
    kdsl_text_f64(real, p->bits, p->width, p->precision, p->align, p->zero, p->style);
}

void kdsl_text_pieces(const KdslPiece *pieces, int64_t n, const int64_t *values) {
    for (const KdslPiece *p = pieces; p < pieces + n; p++) {
        if (p->text) kdsl_text_bytes(p->text, p->n);
        else put_value(p, *values++);
    }
}

/* The buffer ------------------------------------------------------------------------------------------------------- */

static int64_t wanted_bytes(void) {
    const char *text = getenv("KDSL_PRINT_BUFFER");
    if (!text || !*text) return DEFAULT_BYTES;
    char *end;
    errno = 0;
    long long n = strtoll(text, &end, 10);
    if (!*end && !errno && n >= LEAST_BYTES) return n;
    fflush(stdout);
    fprintf(stderr, "KDSL_PRINT_BUFFER is `%s`, but must be a number of bytes, at least %d: using %d\n", text,
            LEAST_BYTES, DEFAULT_BYTES);
    return DEFAULT_BYTES;
}

int64_t *kdsl_print_begin(void) {
    char size[FAILURE_SIZE_BYTES];
    if (!prints.at) {
        prints.n_words = wanted_bytes() / 8;
        prints.at = calloc((size_t)prints.n_words, 8);
    }
    if (!prints.at)
        kdsl_fail(NULL, "out of memory for the print buffer of kernels: %s", failure_size(size, prints.n_words * 8));
    prints.at[KDSL_PRINT_NEXT] = KDSL_PRINT_FIRST;
    prints.at[KDSL_PRINT_DROPPED] = 0;
    prints.at[KDSL_PRINT_END] = prints.n_words;
    return prints.at;
}

int64_t kdsl_print_bytes(void) { return 8 * prints.n_words; }

/* The lines -------------------------------------------------------------------------------------------------------- */

/* Sorted by work item; the records of one item are in the order in which it printed. */
static int by_item(const void *a, const void *b) {
    const int64_t *x = *(const int64_t *const *)a, *y = *(const int64_t *const *)b;
    for (int i = 0; i < 3; i++)
        if (x[RECORD_ITEM + i] != y[RECORD_ITEM + i]) return x[RECORD_ITEM + i] < y[RECORD_ITEM + i] ? -1 : 1;
    return x < y ? -1 : x > y;
}

static void print_record(const KdslPrint *table, const int64_t *record, const char *const *axes, int64_t n_axes) {
    const KdslPrint *p = &table[record[RECORD_SITE] - 1];
    for (int64_t i = 0; i < n_axes; i++) {
        kdsl_text_bytes(i ? ", " : "[", i ? 2 : 1);
        kdsl_text_str(axes[i], 0, 0);
        kdsl_text_bytes(" = ", 3);
        kdsl_text_i64(record[RECORD_ITEM + i], 64, 0, 0, 0, 0);
    }
    kdsl_text_bytes("] ", 2);
    kdsl_text_pieces(p->pieces, p->n_pieces, record + RECORD_VALUES);
    kdsl_text_print();
}

/* The first record that does not fit leaves `next` past the end; all words after the last record are zero. */
static int64_t **find_records(const KdslPrint *table, int64_t *n) {
    int64_t *end = prints.at + prints.n_words, **found = NULL;
    *n = 0;
    if (prints.at[KDSL_PRINT_NEXT] < prints.n_words) end = prints.at + prints.at[KDSL_PRINT_NEXT];
    for (int pass = 0; pass < 2; pass++) {
        if (pass && !(found = malloc((size_t)(*n + 1) * sizeof *found))) return NULL;
        *n = 0;
        for (int64_t *r = prints.at + KDSL_PRINT_FIRST; r < end && r[RECORD_SITE];) {
            if (pass) found[*n] = r;
            ++*n;
            r += RECORD_VALUES + table[r[RECORD_SITE] - 1].n_values;
        }
    }
    return found;
}

/* A buffer for all lines of such a launch, if those that were lost are not longer than those that were not. */
static int64_t enough_bytes(int64_t n_records, int64_t longest) {
    int64_t bytes = 4 * kdsl_print_bytes(), wanted;
    if (__builtin_mul_overflow(2 * 8 * longest, n_records, &wanted) || wanted > INT64_MAX / 4) return bytes;
    while (bytes < wanted) bytes *= 2;
    return bytes;
}

static void tell_lost(int64_t n, int64_t wanted_bytes, const char *place, const char *kernel) {
    char text[512], what_to_do[128], size[FAILURE_SIZE_BYTES];
    snprintf(text, sizeof text, "%lld line%s printed by kernel `%.200s` %s lost: the buffer holds %s", (long long)n,
             n == 1 ? "" : "s", kernel, n == 1 ? "was" : "were", failure_size(size, kdsl_print_bytes()));
    snprintf(what_to_do, sizeof what_to_do, "run with `KDSL_PRINT_BUFFER=%lld` for a larger one",
             (long long)wanted_bytes);
    const KdslFailure f = {place, text, {what_to_do, kdsl_job_text}, NULL};
    kdsl_found(&f);
}

void kdsl_print_end(const KdslPrint *table, const char *const *axes, int64_t n_axes, const char *place,
                    const char *kernel) {
    int64_t n, dropped = prints.at[KDSL_PRINT_DROPPED], used = prints.at[KDSL_PRINT_NEXT];
    int64_t **records = find_records(table, &n);
    if (!records) {
        dropped += n;
        n = 0;
    }
    int64_t longest = RECORD_VALUES;
    for (int64_t i = 0; i < n; i++) {
        int64_t words = RECORD_VALUES + table[records[i][RECORD_SITE] - 1].n_values;
        if (words > longest) longest = words;
    }
    int64_t wanted = enough_bytes(n + dropped, longest);
    qsort(records, (size_t)n, sizeof *records, by_item);
    for (int64_t i = 0; i < n; i++) print_record(table, records[i], axes, n_axes);
    free(records);
    if (used > prints.n_words) used = prints.n_words;
    memset(prints.at + KDSL_PRINT_FIRST, 0, (size_t)(used - KDSL_PRINT_FIRST) * 8);
    if (dropped) tell_lost(dropped, wanted, place, kernel);
}
