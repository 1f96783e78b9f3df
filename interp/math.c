/* math.c -- mathematical functions, with the results of compiled programs: host code calls libm; kernels on a
 * processor with FMA have their own functions, whose C source is compiled into the interpreter as well. f16 and bf16
 * are computed in f32. */
#include <math.h>

#include "interp/run.h"

/* Weak: not defined where kernels call libm as well. The names are those of irgen/math/core.h. */
#define DECLARE(f, ...)                                                                                                \
    float device_##f##_f32(__VA_ARGS__) __asm__("kdsl.math." #f ".f32") __attribute__((weak));
#define DECLARE_64(f, ...)                                                                                             \
    double device_##f##_f64(__VA_ARGS__) __asm__("kdsl.math." #f ".f64") __attribute__((weak));
#define DECLARE_MATH_1(f) DECLARE(f, float) DECLARE_64(f, double)
#define DECLARE_MATH_2(f) DECLARE(f, float, float) DECLARE_64(f, double, double)
#define DECLARE_NUMBER(f)
#define DECLARE_RUN(f)
#define BUILTIN(id, name, n_args, args, result, where, value, lowering) DECLARE_##value
#include "sema/builtin.def"
#undef BUILTIN

typedef union Any {
    float (*f32_1)(float), (*f32_2)(float, float);
    double (*f64_1)(double), (*f64_2)(double, double);
} Any;
typedef struct Row {
    int n;
    Any host[2], device[2]; /* f32, f64 */
} Row;

static const Row rows[BUILTIN__COUNT] = {
#define ROW_MATH_1(fn)                                                                                                 \
    {1, {{.f32_1 = fn##f}, {.f64_1 = fn}}, {{.f32_1 = device_##fn##_f32}, {.f64_1 = device_##fn##_f64}}}
#define ROW_MATH_2(fn)                                                                                                 \
    {2, {{.f32_2 = fn##f}, {.f64_2 = fn}}, {{.f32_2 = device_##fn##_f32}, {.f64_2 = device_##fn##_f64}}}
#define ROW_NUMBER(f) {0}
#define ROW_RUN(f) {0}
#define BUILTIN(id, name, n_args, args, result, where, value, lowering) [BUILTIN_##id] = ROW_##value,
#include "sema/builtin.def"
#undef BUILTIN
};

static bool has_device_functions(void) {
#ifdef __x86_64__
    return __builtin_cpu_supports("fma");
#else
    return true;
#endif
}

bool interp_math(BuiltinId id, const Type *t, const Const *x, bool on_device, Const *r) {
    const Row *row = &rows[id];
    bool wide = t->bits == 64;
    if (!row->n) return false;
    bool is_there = wide ? row->device[1].f64_1 != NULL : row->device[0].f32_1 != NULL;
    bool own = on_device && has_device_functions() && is_there;
    Any fn = own ? row->device[wide] : row->host[wide];
    double v;
    if (wide) v = row->n == 1 ? fn.f64_1(x[0].f) : fn.f64_2(x[0].f, x[1].f);
    else v = row->n == 1 ? fn.f32_1((float)x[0].f) : fn.f32_2((float)x[0].f, (float)x[1].f);
    *r = const_convert(const_float(v), t, t);
    return true;
}
