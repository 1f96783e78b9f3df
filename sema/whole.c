/* whole.c -- does a kernel write every element of a parameter? Its must-write region (written.h) is compared with the
 * array's box of elements. A reference to a single value is an array of one element: one item that certainly writes it
 * is enough. A launch without items copies nothing back. */
#include "sema/flow.h"
#include "sema/memo.h"
#include "sema/written.h"

#include <string.h>

#include <isl/point.h>
#include <isl/val.h>

enum {
    MAX_CALLS = 500,         /* looked into for one parameter */
    MAX_OPERATIONS = 200000, /* of isl, for one parameter: some ten milliseconds */
};

/* A point of it, with small sizes if there is one. */
static isl_point *small_point(isl_set *missing) {
    for (int bits = 2; bits <= 32; bits *= 2) {
        isl_set *few = isl_set_copy(missing);
        for (int i = 0; i < isl_set_dim(missing, isl_dim_param); i++) {
            few = isl_set_lower_bound_val(few, isl_dim_param, (unsigned)i,
                                          isl_val_int_from_si(isl_set_get_ctx(missing), 0));
            few = isl_set_upper_bound_val(few, isl_dim_param, (unsigned)i,
                                          isl_val_int_from_si(isl_set_get_ctx(missing), INT64_C(1) << bits));
        }
        isl_point *point = isl_set_sample_point(few);
        if (isl_point_is_void(point) == isl_bool_false) {
            isl_set_free(missing);
            return point;
        }
        isl_point_free(point);
    }
    return isl_set_sample_point(missing);
}

/* "`y[0, 2]` may not be written, for example if `n` is 3": an element not proven to be written. NULL: none found.
 */
static const char *example(const Written *at, isl_set *missing, Arena *arena) {
    const Symbol *array = at->array;
    isl_point *point = small_point(missing);
    const char *text = arena_printf(arena, "`%s[", array->name), *when = "";
    bool found = isl_point_is_void(point) == isl_bool_false;
    for (int d = 0; found && d < at->rank; d++) {
        isl_val *v = isl_point_get_coordinate_val(point, isl_dim_set, d);
        text = arena_printf(arena, "%s%s%ld", text, d ? ", " : "", isl_val_get_num_si(v));
        isl_val_free(v);
    }
    isl_space *space = isl_point_get_space(point);
    for (int i = 0; found && i < isl_space_dim(space, isl_dim_param); i++) {
        isl_val *v = isl_point_get_coordinate_val(point, isl_dim_param, i);
        when = arena_printf(arena, "%s%s`%s` is %ld", when, *when ? " and " : ", for example if ",
                            isl_space_get_dim_name(space, isl_dim_param, (unsigned)i), isl_val_get_num_si(v));
        isl_val_free(v);
    }
    isl_space_free(space);
    isl_point_free(point);
    return found ? arena_printf(arena, "%s]` may not be written%s", text, when) : NULL;
}

/* An example would be a guess. */
static const char *unclear_text(Sema *s, const Expr *target) {
    return arena_printf(s->arena, "cannot tell which elements `%s` writes in all work items together",
                        source_text(s, target->span));
}

static Wholeness decide(Sema *s, const Func *kernel, int param, bool wants_example) {
    if (is_assumed(kernel, kernel->params.at[param], ASSUME_WRITTEN)) return (Wholeness){.is_whole = true};
    Wholeness found = {0};
    int calls = MAX_CALLS;
    const Func *writer = NULL;
    const Expr *unclear = NULL;
    Arena own = {0};
    Quasi q = quasi_begin(&own, MAX_OPERATIONS);
    const Shape *shape = &kernel->shapes.at[param];
    Written at = {quasi_frame(&q, kernel), kernel->params.at[param], shape->rank, &calls, &writer, &unclear};
    isl_set *states = quasi_bind_parameters(&at.quasi), *written = written_by_kernel(&at, states);
    isl_set *all = shape->rank ? isl_set_intersect_params(written_box(&at), isl_set_params(isl_set_copy(states)))
                               : written_if_any(&at, states);
    isl_set *missing = isl_set_subtract(all, written);
    found.is_whole = writer && isl_set_is_empty(missing) == isl_bool_true;
    if (found.is_whole && writer != kernel) found.writer = writer->name;
    if (wants_example && !found.is_whole && shape->rank)
        found.left_out = unclear ? unclear_text(s, unclear) : example(&at, isl_set_copy(missing), s->arena);
    isl_set_free(missing);
    isl_set_free(states);
    quasi_frame_end(&at.quasi);
    quasi_end(&q);
    arena_free(&own);
    return found;
}

/* As a text for the memo: "+" and the name of the writer, or "-" and the example. */
static const char *as_text(Arena *arena, const Wholeness *w) {
    const char *more = w->is_whole ? w->writer : w->left_out;
    return arena_printf(arena, "%c%s", w->is_whole ? '+' : '-', more ? more : "");
}

static Wholeness of_text(Arena *arena, const char *text) {
    const char *more = text[1] ? arena_strndup(arena, text + 1, strlen(text + 1)) : NULL;
    return *text == '+' ? (Wholeness){.is_whole = true, .writer = more} : (Wholeness){.left_out = more};
}

const Wholeness *whole_find(Sema *s, Func *kernel, int param, bool wants_example) {
    if (!kernel->facts->whole) kernel->facts->whole = arena_array(s->arena, Wholeness, kernel->params.n + 1);
    Wholeness *w = &kernel->facts->whole[param];
    if (w->is_known) return w;
    const char *what = wants_example ? "left out" : "whole", *known = memo_find(s, kernel, what, param);
    *w = known ? of_text(s->arena, known) : decide(s, kernel, param, wants_example);
    if (!known) memo_add(s, kernel, what, param, as_text(s->arena, w));
    w->is_known = true;
    return w;
}
