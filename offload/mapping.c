/* mapping.c -- OpenMP map types of kernel arguments, and the names that libomptarget's reports show. Sema has decided
 * the Transfer of every parameter (sema/plan.c). */
#include "offload/module.h"
#include "offload/protocol.h"

#include <string.h>

/* | Transfer | written as                     | map type | LIBOMPTARGET_INFO shows |
 * | alloc    | t: &scratch [T; n]             | 0x20     | alloc(t[0:n])           |
 * | to       | x: &[T; n]                     | 0x21     | to(x[0:n])              |
 * | from     | z: &out [T; n], proven whole   | 0x22     | from(z[0:n])            |
 * | tofrom   | y: &mut [T; n]                 | 0x23     | tofrom(y[0:n])          |
 * | literal  | a: f32                         | 0x120    | use_by_value(a)         | */
static const int64_t map_of_transfer[] = {
    [TRANSFER_ALLOC] = OFF_MAP_PARAM,
    [TRANSFER_TO] = OFF_MAP_PARAM | OFF_MAP_TO,
    [TRANSFER_FROM] = OFF_MAP_PARAM | OFF_MAP_FROM,
    [TRANSFER_TOFROM] = OFF_MAP_PARAM | OFF_MAP_TO | OFF_MAP_FROM,
    [TRANSFER_UNUSED] = OFF_MAP_PARAM | OFF_MAP_LITERAL,
};

int64_t off_map_type(Transfer t) { return map_of_transfer[t]; }
int64_t off_map_literal(void) { return OFF_MAP_PARAM | OFF_MAP_LITERAL; }

/* A field must not contain the separator `;`, nor control characters, which would break the lines of a report. */
static const char *field(Arena *a, const char *text) {
    if (!text || !*text) return "unknown";
    char *s = arena_strndup(a, text, strlen(text));
    for (char *p = s; *p; p++)
        if (*p == ';' || (unsigned char)*p < ' ' || *p == 0x7f) *p = '_';
    return s;
}

/* The runtime parses line and column with std::stoi, which throws an exception for anything but digits. */
static int digits(int n) { return n > 0 ? n : 0; }

const char *off_ident_text(Arena *a, const OffPlace *p) {
    return arena_printf(a, ";%s;%s;%d;%d;;", field(a, p->file), field(a, p->function), digits(p->line), digits(p->col));
}

const char *off_label_text(Arena *a, const char *label, const OffPlace *p) {
    return arena_printf(a, ";%s;%s;%d;%d;;", field(a, label), field(a, p->file), digits(p->line), digits(p->col));
}
