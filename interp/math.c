/* math.c -- functions of floats, as compiled programs have them: host code calls libm; kernels have functions of their
 * own on a processor with FMA, whose C is compiled into this room as well. f16 and bf16 go by f32. */
#include <math.h>

#include "interp/run.h"

#define ARGS_1(type) type
#define ARGS_2(type) type, type

/* Weak: where kernels call libm as well there is none. The names are those of irgen/math/core.h. */
#define FUNCTION(id, name, n)                                                                                          \
    float device_##name##_f32(ARGS_##n(float)) __asm__("kdsl.math." #name ".f32") __attribute__((weak));               \
    double device_##name##_f64(ARGS_##n(double)) __asm__("kdsl.math." #name ".f64") __attribute__((weak));
#include "interp/math.def"
#undef FUNCTION

typedef union Any {
    float (*f32_1)(float), (*f32_2)(float, float);
    double (*f64_1)(double), (*f64_2)(double, double);
} Any;
typedef struct Row {
    int n;
    Any host[2], device[2]; /* f32, f64 */
} Row;

static const Row rows[BUILTIN__COUNT] = {
#define FUNCTION(id, name, n)                                                                                          \
    [BUILTIN_##id] = {n, {{.f32_##n = name##f}, {.f64_##n = name}},                                                    \
                      {{.f32_##n = device_##name##_f32}, {.f64_##n = device_##name##_f64}}},
#include "interp/math.def"
#undef FUNCTION
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
