/* range.c -- ranges `lo..hi step s`, evaluated once: the trip count, and the k-th value. Wide integers, so that no
 * bound of a 64-bit type and no step can overflow. */
#include "interp/run.h"

static __int128 wide(const Type *t, int64_t v) { return t->is_signed ? (__int128)v : (__int128)(uint64_t)v; }

static __int128 bound(Frame *f, Expr *e, const Type *t, int64_t otherwise) {
    if (!e) return otherwise;
    return wide(t, const_convert(interp_scalar(f, e), e->type, t).i);
}

Axis interp_axis(Frame *f, const Range *r) {
    Axis a = {.type = r->type, .lo = bound(f, r->lo, r->type, 0)};
    __int128 hi = bound(f, r->hi, r->type, 0);
    a.step = bound(f, r->step, r->type, 1);
    if (!a.step && f->run->options.unchecked) return a;
    if (!a.step && r->site < 0) interp_was_proven(f, r->span, "the step of a range is 0");
    if (!a.step) interp_fail(f, r->span, FAILURE_STEP);
    __int128 width = a.step > 0 ? hi - a.lo : a.lo - hi, size = a.step > 0 ? a.step : -a.step;
    a.width = (int64_t)width;
    a.trips = width > 0 ? (int64_t)((width - 1) / size + 1) : 0;
    return a;
}

int64_t interp_axis_at(const Axis *a, int64_t k) { return int_wrap((int64_t)(a->lo + a->step * k), a->type); }
