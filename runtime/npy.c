/* npy.c -- the C functions of the module `npy`: the header of NumPy's .npy files (written in format 1.0; 2.0 and 3.0
 * can be read, too). The program itself reads and writes the numbers after the header. Element types are named as in
 * the file: "<f4". https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "runtime/internal.h"

enum { MAX_RANK = 4, MAX_HEAD_BYTES = 1 << 20, HEAD_ALIGN = 64 };

static const struct {
    char element[4], type[8];
} types[] = {{"<f2", "f16"}, {"<f4", "f32"}, {"<f8", "f64"}, {"|i1", "i8"},  {"<i2", "i16"}, {"<i4", "i32"},
             {"<i8", "i64"}, {"|u1", "u8"},  {"<u2", "u16"}, {"<u4", "u32"}, {"<u8", "u64"}, {"|b1", "bool"}};

typedef struct Npy {
    char element[16], shape[64];
    bool fortran;
    int rank;                 /* as in the file: may be more than MAX_RANK */
    int64_t extent[MAX_RANK]; /* the first of them */
    int64_t data;             /* where the numbers begin */
} Npy;

static _Noreturn void cannot_read(const char *path, const char *why) {
    kdsl_fail(kdsl_called("npy"), "cannot read `%s`: %s", path, why);
}

static const char *type_of(const char *element) {
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (!strcmp(types[i].element, element)) return types[i].type;
    return NULL;
}

/* The head --------------------------------------------------------------------------------------------------------- */
static const char *after(const char *text, const char *what) {
    const char *at = strstr(text, what);
    return at ? at + strlen(what) : NULL;
}

/* The value after 'key': in {'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }. */
static const char *value_of(const char *head, const char *key) {
    const char *at = after(head, key);
    while (at && (*at == ' ' || *at == ':')) at++;
    return at;
}

static bool read_shape(Npy *a, const char *at) {
    const char *end = at && *at == '(' ? strchr(at, ')') : NULL;
    if (!end) return false;
    snprintf(a->shape, sizeof a->shape, "%.*s", (int)(end - at + 1 < 60 ? end - at + 1 : 60), at);
    for (at++; at < end;) {
        char *behind;
        errno = 0;
        long long n = strtoll(at, &behind, 10);
        if (behind == at || n < 0 || errno) return false;
        if (a->rank < MAX_RANK) a->extent[a->rank] = n;
        a->rank++;
        for (at = behind; *at == ',' || *at == ' ' || *at == 'L'; at++) continue;
    }
    return true;
}

static const char *understand(Npy *a, const char *head) {
    const char *descr = value_of(head, "'descr'"), *order = value_of(head, "'fortran_order'");
    if (!descr || !order || !read_shape(a, value_of(head, "'shape'"))) return "its header is malformed";
    if (*descr != '\'') return "its elements are records, not numbers";
    const char *end = strchr(descr + 1, '\'');
    if (!end || end - descr > (int)sizeof a->element - 1) return "its elements are not numbers";
    memcpy(a->element, descr + 1, (size_t)(end - descr - 1));
    if (!strcmp(a->element, "<i1") || !strcmp(a->element, "<u1") || !strcmp(a->element, "<b1")) a->element[0] = '|';
    a->fortran = !strncmp(order, "True", 4) && a->rank > 1;
    return NULL;
}

static const char *read_head(FILE *file, Npy *a) {
    unsigned char start[12] = {0};
    size_t n = fread(start, 1, 10, file);
    if (ferror(file)) return strerror(errno);
    if (n < 10 || memcmp(start, "\x93NUMPY", 6) || start[6] < 1 || start[6] > 3) return "it is not an .npy file";
    size_t bytes = start[8] | start[9] << 8;
    a->data = 10;
    if (start[6] > 1) {
        if (fread(start + 10, 1, 2, file) < 2) return "it is not an .npy file";
        bytes |= (size_t)start[10] << 16 | (size_t)start[11] << 24;
        a->data = 12;
    }
    a->data += (int64_t)bytes;
    char *head = bytes <= MAX_HEAD_BYTES ? calloc(1, bytes + 1) : NULL;
    if (!head) return "its header is malformed";
    const char *why = fread(head, 1, bytes, file) == bytes ? understand(a, head) : "it ends inside its header";
    free(head);
    return why;
}

static Npy read_npy(const char *path) {
    Npy a = {0};
    FILE *file = fopen(path, "rb");
    const char *why = file ? read_head(file, &a) : strerror(errno);
    if (file) fclose(file);
    if (why) cannot_read(path, why);
    return a;
}

/* What the program wants of it ------------------------------------------------------------------------------------- */
static void check_elements(const char *path, const Npy *a, const char *wanted) {
    bool flags = !strcmp(a->element, "|b1") && !strcmp(wanted, "|u1"); /* bytes that are 0 or 1 */
    if (flags || !strcmp(a->element, wanted)) return;
    const char *type = type_of(a->element);
    const char *big = a->element[0] == '>' ? " (big-endian)" : "", *place = kdsl_called("npy");
    if (type) kdsl_fail(place, "cannot read `%s`: its elements are %s, not %s", path, type, type_of(wanted));
    kdsl_fail(place, "cannot read `%s`: its elements are NumPy's `%s`%s, not %s", path, a->element, big,
              type_of(wanted));
}

/* A broken head may claim anything: the file must have as many bytes as it says. */
static void check_size(const char *path, const Npy *a, const char *element) {
    struct stat about;
    int64_t n = element[2] - '0', empty = 0, overflow = 0;
    for (int d = 0; d < a->rank; d++) {
        empty |= !a->extent[d];
        overflow |= __builtin_mul_overflow(n, a->extent[d], &n);
    }
    if (empty) return;
    if (overflow || stat(path, &about) || __builtin_add_overflow(n, a->data, &n) || n > about.st_size)
        cannot_read(path, "it ends before its last element");
}

KDSL_RT int64_t kdsl_std_npy_open(const char *path, const char *element, int64_t rank, int64_t extents[MAX_RANK]);
KDSL_RT int64_t kdsl_std_npy_rank(const char *path);
KDSL_RT int64_t kdsl_std_npy_extent(const char *path, int64_t d);
KDSL_RT void kdsl_std_npy_create(const char *path, const char *element, int64_t rank, const int64_t extents[MAX_RANK]);

/* The byte at which the numbers begin. */
int64_t kdsl_std_npy_open(const char *path, const char *element, int64_t rank, int64_t extents[MAX_RANK]) {
    Npy a = read_npy(path);
    if (a.rank != rank)
        kdsl_fail(kdsl_called("npy"), "cannot read `%s`: its shape is %s, and the program reads %lld dimension%s", path,
                  a.shape, (long long)rank, rank == 1 ? "" : "s");
    check_elements(path, &a, element);
    if (a.fortran) cannot_read(path, "it is in column-major (Fortran) order; save numpy.ascontiguousarray of the "
                                     "array");
    check_size(path, &a, element);
    memcpy(extents, a.extent, sizeof a.extent);
    return a.data;
}

int64_t kdsl_std_npy_rank(const char *path) { return read_npy(path).rank; }

int64_t kdsl_std_npy_extent(const char *path, int64_t d) {
    Npy a = read_npy(path);
    if (d >= 0 && d < a.rank && d < MAX_RANK) return a.extent[d];
    kdsl_fail(kdsl_called("npy"), "`%s` has no dimension %lld: its shape is %s", path, (long long)d, a.shape);
}

/* Writing ---------------------------------------------------------------------------------------------------------- */
/* The numbers follow at once: write_file(path, &x). */
void kdsl_std_npy_create(const char *path, const char *element, int64_t rank, const int64_t extents[MAX_RANK]) {
    char head[KDSL_HEAD_BYTES] = "\x93NUMPY\x01", shape[MAX_RANK * 22 + 1] = "";
    int at = 0, n = 10;
    for (int64_t d = 0; d < rank; d++) at += sprintf(shape + at, d ? " %lld," : "%lld,", (long long)extents[d]);
    if (rank > 1) shape[at - 1] = '\0'; /* (3,) but (3, 4) */
    n += sprintf(head + n, "{'descr': '%s', 'fortran_order': False, 'shape': (%s), }", element, shape);
    while ((n + 1) % HEAD_ALIGN) head[n++] = ' ';
    head[n++] = '\n';
    head[8] = (char)(n - 10);
    kdsl_file_head(path, head, n);
}
