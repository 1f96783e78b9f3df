/* profile_limits.c -- how many bytes the device moves per second, and how many operations it executes: measured by
 * kernels of our own, which run as the program's do: on the same device, with the same threads. */
#include <stdlib.h>

#include "driver/child.h"
#include "driver/profile.h"

/* Memory: the triad of STREAM, on arrays larger than caches usually are. Arithmetic: eight independent chains of
 * multiply-add in each work item. The best of several runs counts. */
static const char program[] =
    "const ELEMENTS = 4194304;\n"
    "const LANES = 8192;\n"
    "const STEPS = 1000;\n"
    "kernel fill(x: &out [f64; n], v: f64) over i in n { x[i] = v; }\n"
    "kernel triad(a: &out [f64; n], b: &[f64; n], c: &[f64; n], s: f64) over i in n { a[i] = b[i] + s * c[i]; }\n"
    "kernel chains<T: float>(x: &mut [T; n], b: T, c: T) over i in n {\n"
    "    var a0 = x[i];\n"
    "    var a1 = a0 + c;\n"
    "    var a2 = a1 + c;\n"
    "    var a3 = a2 + c;\n"
    "    var a4 = a3 + c;\n"
    "    var a5 = a4 + c;\n"
    "    var a6 = a5 + c;\n"
    "    var a7 = a6 + c;\n"
    "    for s in STEPS {\n"
    "        a0 = a0 * b + c;\n"
    "        a1 = a1 * b + c;\n"
    "        a2 = a2 * b + c;\n"
    "        a3 = a3 * b + c;\n"
    "        a4 = a4 * b + c;\n"
    "        a5 = a5 * b + c;\n"
    "        a6 = a6 * b + c;\n"
    "        a7 = a7 * b + c;\n"
    "    }\n"
    "    x[i] = a0 + a1 + a2 + a3 + a4 + a5 + a6 + a7;\n"
    "}\n"
    "fn bytes_per_second() -> f64 {\n"
    "    var a = [0.0; ELEMENTS];\n"
    "    var b = [0.0; ELEMENTS];\n"
    "    var c = [0.0; ELEMENTS];\n"
    "    offload fill(&out b, 1.0);\n"
    "    offload fill(&out c, 2.0);\n"
    "    var best = 0.0;\n"
    "    for s in 6 {\n"
    "        let start = clock();\n"
    "        offload triad(&out a, &b, &c, 3.0);\n"
    "        let rate = 24.0 * f64(ELEMENTS) / (clock() - start);\n"
    "        if s > 0 { best = max(best, rate); }\n"
    "    }\n"
    "    return if a[7] == 7.0 { best } else { 0.0 };\n"
    "}\n"
    "fn operations_per_second<T: float>(one: T) -> f64 {\n"
    "    var x = [one; LANES];\n"
    "    var best = 0.0;\n"
    "    for s in 5 {\n"
    "        let start = clock();\n"
    "        offload chains(&mut x, one / 2, one);\n"
    "        let rate = 16.0 * f64(LANES) * f64(STEPS) / (clock() - start);\n"
    "        if s > 0 { best = max(best, rate); }\n"
    "    }\n"
    "    return if x[0] > one { best } else { 0.0 };\n"
    "}\n"
    "fn main() {\n"
    "    print(\"{} {} {}\", bytes_per_second(), operations_per_second(1.0f32), operations_per_second(1.0));\n"
    "}\n"
    ;

Limits profile_limits(const Options *o) {
    static const char *const others[] = {"KDSL_TRACE", "KDSL_REPORT", "KDSL_POISON"}; /* are about the program */
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) unsetenv(others[i]);
    const char *options[] = {archs_have_gpu(&o->archs) ? "--offload-arch=auto" : "--offload-arch=host", NULL};
    Buf said = {0};
    Limits l = {0};
    if (child_run(options, program, NULL, &said)) {
        char *at = said.at;
        l.bytes = strtod(at, &at);
        l.f32 = strtod(at, &at);
        l.f64 = strtod(at, &at);
    }
    buf_free(&said);
    return l;
}
