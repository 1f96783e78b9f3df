/* libm.c -- functions of libm for kernels on GPUs, which have no libm: those that f32.c and f64.c lack, and those for
 * angles too large for these. They wrap functions of LLVM's libclc, which is linked in when the compiler is built. */

#define UNARY(name, n)                                                                                                 \
    float name##f_clc(float) __asm__("_Z" #n #name "f") __attribute__((const, nothrow));                               \
    double name##_clc(double) __asm__("_Z" #n #name "d") __attribute__((const, nothrow));                              \
    float name##f_(float) __asm__(#name "f");                                                                          \
    double name##_(double) __asm__(#name);                                                                             \
    float name##f_(float x) { return name##f_clc(x); }                                                                 \
    double name##_(double x) { return name##_clc(x); }
#define BINARY(name, n)                                                                                                \
    float name##f_clc(float, float) __asm__("_Z" #n #name "ff") __attribute__((const, nothrow));                       \
    double name##_clc(double, double) __asm__("_Z" #n #name "dd") __attribute__((const, nothrow));                     \
    float name##f_(float, float) __asm__(#name "f");                                                                   \
    double name##_(double, double) __asm__(#name);                                                                     \
    float name##f_(float x, float y) { return name##f_clc(x, y); }                                                     \
    double name##_(double x, double y) { return name##_clc(x, y); }

/* name, and its length, which is part of the mangled name (Itanium C++ ABI) */
UNARY(sin, 3)
UNARY(cos, 3)
UNARY(tan, 3)
UNARY(asinh, 5)
UNARY(acosh, 5)
UNARY(atanh, 5)
UNARY(tgamma, 6)
UNARY(lgamma, 6)
BINARY(fmod, 4)
