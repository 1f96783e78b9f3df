/* builtin.c -- the built-in functions. Functions of numbers work on vectors component by component. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "interp/run.h"

enum { MAX_ARGS = 3 };

static Expr *arg(const Expr *e, int i) { return e->call.args.at[i].value; }

static void store_index(Expr *e, void *to, int64_t v) { interp_store(e->type, to, const_int(v)); }

static void store_text(Expr *e, void *to, const char *text) {
    interp_store(e->type, to, (Const){.kind = CONST_STR, .s = {text, strlen(text)}});
}

/* Of numbers --------------------------------------------------------------------------------------------------- */

static Const of_numbers(Frame *f, Expr *e, const Type *t, const Const *x) {
    Const r;
    BuiltinId id = e->call.info->builtin;
    if (interp_math(id, t, x, f->item != NULL, &r) || number_value(id, t, x, &r)) return r;
    ice(f->run->c, e->span, "a built-in function that is not of numbers");
}

static void numbers(Frame *f, Expr *e, void *to) {
    const Type *t = arg(e, 0)->type, *part = type_of_part(t);
    int n = e->call.args.n, width = t->kind == TY_VECTOR ? t->width : 1;
    int64_t bytes = type_size_bytes(part), result = type_size_bytes(type_of_part(e->type));
    _Alignas(16) char room[MAX_ARGS][64];
    for (int i = 0; i < n; i++) interp_value_as(f, arg(e, i), t, room[i]);
    for (int k = 0; k < width; k++) {
        Const x[MAX_ARGS];
        for (int i = 0; i < n; i++) x[i] = interp_load(part, room[i] + k * bytes);
        interp_store(type_of_part(e->type), (char *)to + k * result, of_numbers(f, e, part, x));
    }
}

/* Of vectors --------------------------------------------------------------------------------------------------- */

static Const part_of(const Type *t, const void *at, int i) {
    return interp_load(t->elem, (const char *)at + i * type_size_bytes(t->elem));
}

/* a.x * b.x + a.y * b.y + ..., as it would be written out: of two products the left one is fused with their sum, and
 * each further one with what there is. */
static Const dot(const Type *t, const void *a, const void *b, bool fused) {
    const Type *elem = t->elem;
    Const sum = arith_binary(OP_MUL, elem, part_of(t, a, fused), part_of(t, b, fused), NULL);
    for (int i = 0; i < t->width; i++) {
        Const factors[2] = {part_of(t, a, i), part_of(t, b, i)};
        if (i == fused) continue;
        if (fused) sum = arith_fused(OP_ADD, elem, factors, false, true, sum);
        else sum = arith_binary(OP_ADD, elem, sum, arith_binary(OP_MUL, elem, factors[0], factors[1], NULL), NULL);
    }
    return sum;
}

static void cross(const Type *t, const void *a, const void *b, bool fused, char *to) {
    const Type *elem = t->elem;
    for (int i = 0; i < 3; i++) {
        int y = (i + 1) % 3, z = (i + 2) % 3;
        Const l[2] = {part_of(t, a, y), part_of(t, b, z)};
        Const r = arith_binary(OP_MUL, elem, part_of(t, a, z), part_of(t, b, y), NULL);
        Const v = fused ? arith_fused(OP_SUB, elem, l, false, true, r)
                        : arith_binary(OP_SUB, elem, arith_binary(OP_MUL, elem, l[0], l[1], NULL), r, NULL);
        interp_store(elem, to + i * type_size_bytes(elem), v);
    }
}

static void run_vector(Frame *f, Expr *e, void *to) {
    const Type *t = arg(e, 0)->type;
    ROOM(a, 64);
    ROOM(b, 64);
    interp_value(f, arg(e, 0), a);
    if (e->call.args.n > 1) interp_value(f, arg(e, 1), b);
    else memcpy(b, a, sizeof b);
    if (e->call.info->builtin == BUILTIN_CROSS) {
        cross(t, a, b, e->call.fused, to);
        return;
    }
    Const v = dot(t, a, b, e->call.fused);
    if (e->call.info->builtin == BUILTIN_LENGTH) v = const_convert(const_float(sqrt(v.f)), t->elem, t->elem);
    interp_store(e->type, to, v);
}

/* Of arrays ---------------------------------------------------------------------------------------------------- */

static void run_len(Frame *f, Expr *e, void *to) {
    Expr *x = e->call.info->receiver ? e->call.info->receiver : arg(e, 0);
    if (x->type->kind != TY_ARRAY) {
        store_index(e, to, (int64_t)strlen(interp_scalar(f, x).s.at));
        return;
    }
    Array a = interp_array(f, x);
    store_index(e, to, interp_count(x->type, &a));
}

static void run_shape(Frame *f, Expr *e, void *to) {
    Array a = interp_array(f, arg(e, 0));
    store_index(e, to, a.ext[arg(e, 1)->konst.i]);
}

/* x.at(i, j): zero out of bounds. The indices first: a call in one may reallocate the array. */
static void run_at(Frame *f, Expr *e, void *to) {
    Expr *x = e->call.info->receiver;
    int64_t at[MAX_RANK], n = type_size_bytes(e->type);
    bool inside = true;
    for (int d = 0; d < x->type->rank; d++) at[d] = interp_index(f, arg(e, d));
    Array a = interp_array(f, x);
    for (int d = 0; d < x->type->rank; d++) inside = inside && (uint64_t)at[d] < (uint64_t)a.ext[d];
    if (inside) memcpy(to, a.data + interp_offset(x->type, &a, at) * n, (size_t)n);
    else memset(to, 0, (size_t)n);
}

static void run_copy(Frame *f, Expr *e, void *to) {
    if (type_owns(e->type)) {
        interp_gather(f, arg(e, 0)->name.sym, true, to, e->span);
        return;
    }
    Array a = interp_array(f, arg(e, 0));
    *(Array *)to = interp_array_copy(f, e->type, &a, e->span);
}

static void run_swap(Frame *f, Expr *e, void *to) {
    (void)to;
    char *a = interp_address(f, arg(e, 0)), *b = interp_address(f, arg(e, 1));
    size_t n = (size_t)interp_size(arg(e, 0)->type);
    for (size_t i = 0; i < n; i++) {
        char held = a[i];
        a[i] = b[i];
        b[i] = held;
    }
}

/* Of the program ----------------------------------------------------------------------------------------------- */

static void run_args(Frame *f, Expr *e, void *to) {
    int64_t n = f->run->options.n_args;
    Array a = interp_array_new(f, e->type, &n, e->span);
    for (int64_t i = 0; i < n; i++) ((const char **)a.data)[i] = f->run->options.args[i];
    *(Array *)to = a;
}

static void run_clock(Frame *f, Expr *e, void *to) {
    struct timespec t;
    (void)f;
    clock_gettime(CLOCK_MONOTONIC, &t);
    interp_store(e->type, to, const_float((double)t.tv_sec + 1e-9 * (double)t.tv_nsec));
}

/* A program that launches nothing has no device to use. */
static void run_devices(Frame *f, Expr *e, void *to) {
    const Program *p = f->run->program;
    bool any = false;
    for (int i = 0; i < p->funcs.n; i++) any |= (p->funcs.at[i]->effects & EFFECT_OFFLOAD) != 0;
    store_index(e, to, any ? INTERP_DEVICES : 0);
}

static void run_device_name(Frame *f, Expr *e, void *to) {
    (void)to;
    interp_unsupported(f, e->span, "the interpreter has no devices to name");
}

static void run_exit(Frame *f, Expr *e, void *to) {
    (void)to;
    interp_exit((int)interp_scalar(f, arg(e, 0)).i & 0xff);
}

/* print, format */
static void run_text(Frame *f, Expr *e, void *to) {
    if (e->call.info->builtin == BUILTIN_PRINT) interp_print(f, e);
    else store_text(e, to, interp_text(f, e->call.info->format, &e->call.args, 1));
}

/* The rows ----------------------------------------------------------------------------------------------------- */

static void (*const rows[BUILTIN__COUNT])(Frame *f, Expr *e, void *to) = {
#define RUN_MATH_1(f) numbers
#define RUN_MATH_2(f) numbers
#define RUN_NUMBER(f) numbers
#define RUN_RUN(f) run_##f
#define BUILTIN(id, name, n_args, args, result, where, value, lowering) [BUILTIN_##id] = RUN_##value,
#include "sema/builtin.def"
#undef BUILTIN
};

void interp_builtin(Frame *f, Expr *e, void *to) { rows[e->call.info->builtin](f, e, to); }
