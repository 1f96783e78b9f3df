/* doctor.c -- `kdslc doctor`: diagnoses the installation: looks for what programs with kernels need, names the package
 * of what is missing, and runs a kernel on each device. Each device is tested in a process of its own, a program that
 * this compiler makes, so that a driver that hangs or crashes affects nothing else. */
#include "driver/doctor.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "driver/child.h"
#include "driver/drivers.h"
#include "driver/options.h"
#include "driver/output.h"
#include "offload/offload.h"

/* Without an argument: how many devices there are. With one: does a kernel do there what it should? */
static const char program[] =
    "kernel roots(x: &[f32; n], y: &out [f32; n]) over i in n { y[i] = sqrt(x[i]) + 1.0; }\n"
    "kernel total(x: &[f32; n]) over i in n -> sum f32 { return x[i]; }\n"
    "fn main() {\n"
    "    if len(args()) == 0 { print(\"{}\", devices()); return; }\n"
    "    let d = i32(args()[0]);\n"
    "    let x = [f32((i % 100) * (i % 100)) for i in 100000];\n"
    "    var y = [0.0f32; 100000];\n"
    "    let start = clock();\n"
    "    offload on d roots(&x, &out y);\n"
    "    let first = clock() - start;\n"
    "    let sum = offload on d total(&y);\n"
    "    var wrong = 0;\n"
    "    for i in 100000 { if y[i] != f32(i % 100) + 1.0 { wrong += 1; } }\n"
    "    if wrong > 0 || abs(sum - 5050000.0) > 100.0 { print(\"{}: wrong results\", device_name(d)); exit(1); }\n"
    "    print(\"{}: works, {:.1} ms for the first launch\", device_name(d), first * 1000.0);\n"
    "}\n";

/* Running it ------------------------------------------------------------------------------------------------------- */

static bool run_program(const char *archs, const char *argument, Buf *text) {
    const char *options[] = {archs, NULL};
    return child_run(options, program, argument, text);
}

/* Looking ---------------------------------------------------------------------------------------------------------- */

static void say(Buf *b, const char *what, const char *format, ...) __attribute__((format(printf, 3, 4)));
static void say(Buf *b, const char *what, const char *format, ...) {
    char text[1024];
    va_list ap;
    va_start(ap, format);
    vsnprintf(text, sizeof text, format, ap);
    va_end(ap);
    buf_printf(b, "%-22s%s\n", what, text);
}

static bool has_library(const char *name) {
    void *library = dlopen(name, RTLD_LAZY | RTLD_LOCAL);
    if (library) dlclose(library);
    return library != NULL;
}

static bool exists(const char *path) { return !access(path, F_OK); }

/* A driver: by the name that libomptarget opens, and by the one that its package always brings. */
typedef struct Driver {
    const char *what, *device, *name, *versioned;
    const char *package;  /* that brings the driver */
    const char *for_name; /* and the name without a version, where that is another one */
    DriverState (*ask)(void);
} Driver;

static const Driver nvidia = {"NVIDIA driver", "/dev/nvidiactl", "libcuda.so", "libcuda.so.1",
                              "libcuda1, in the version of your driver", NULL, driver_ask_nvidia};
static const Driver amd = {"AMD driver", "/dev/kfd", "libhsa-runtime64.so", "libhsa-runtime64.so.1",
                           "libhsa-runtime64-1, or ROCm", "libhsa-runtime-dev", driver_ask_amd};

/* false: it is there and does not work. */
static bool look_for_driver(Buf *b, const Driver *d, Buf *archs, int *n_gpus) {
    if (has_library(d->name)) {
        DriverState s = d->ask();
        if (s.works) say(b, d->what, "%s: %s", d->name, s.n_gpus ? s.says.at : "it finds no GPU");
        else say(b, d->what, "%s does not work: %s", d->name, s.says.at);
        if (s.archs.n) buf_printf(archs, "%s", s.archs.at);
        bool works = s.works;
        *n_gpus += works ? s.n_gpus : 0;
        driver_state_free(&s);
        return works;
    }
    if (has_library(d->versioned) && d->for_name)
        say(b, d->what, "%s is installed, but %s is missing: install %s, or create a link in a folder of "
                        "LD_LIBRARY_PATH", d->versioned,
            d->name, d->for_name);
    else if (has_library(d->versioned))
        say(b, d->what, "%s is installed, but %s is missing: create a link in a folder of LD_LIBRARY_PATH",
            d->versioned, d->name);
    else if (exists(d->device)) say(b, d->what, "%s is installed, but %s is missing: install %s", d->device, d->name,
                                    d->package);
    else say(b, d->what, "not found (no %s): kernels do not run on its GPUs", d->device);
    return true;
}

/* archs: what the drivers' GPUs need, of which there are *n_gpus. */
static bool look_around(Compiler *c, Buf *b, Buf *archs, int *n_gpus) {
    const char *missing, *path = off_find_omptarget(c, &missing), *ptxas = off_find_ptxas(&c->arena);
    if (path) say(b, "libomptarget", "%s", path);
    else say(b, "libomptarget", "%s not found: install liboffload-22", missing);
    const char *start = off_find_start_file(c);
    say(b, "C start files", "%s", start ? start : "Scrt1.o not found: install libc6-dev");
    bool ok = look_for_driver(b, &nvidia, archs, n_gpus);
    ok = look_for_driver(b, &amd, archs, n_gpus) && ok;
    if (ptxas) say(b, "ptxas", "%s", ptxas);
    else
        say(b, "ptxas", "not found (package nvidia-cuda-toolkit): programs contain PTX, which NVIDIA's driver "
                        "compiles when they start");
    say(b, "lld, libclc", "built in (LLVM " KDSL_LLVM_VERSION ")");
    say(b, "temporary files",
        !access("/tmp", W_OK) ? "/tmp is writable" : "/tmp is not writable, but libomptarget needs it");
    return ok;
}

static void say_lines(Buf *b, const char *what, const Buf *text) {
    for (const char *at = text->n ? text->at : "no output\n"; *at; at += strcspn(at, "\n"), at += *at == '\n') {
        say(b, what, "%.*s", (int)strcspn(at, "\n"), at);
        what = "";
    }
}

static bool run_device(const char *archs, int device, Buf *said) {
    char number[16];
    snprintf(number, sizeof number, "%d", device);
    return run_program(archs, number, said);
}

/* "NAME: works, ..." */
static bool is_same_processor(const Buf *a, const Buf *b) {
    const char *end = a->n ? strstr(a->at, ": works") : NULL;
    size_t n = end ? (size_t)(end - a->at) + strlen(": works") : 0;
    return n && b->n >= n && !memcmp(a->at, b->at, n);
}

static void say_devices(Buf *b, int first, int n, const Buf *said) {
    char name[48];
    if (n == 1) snprintf(name, sizeof name, "device %d", first);
    else snprintf(name, sizeof name, "devices %d to %d", first, first + n - 1);
    say_lines(b, name, said);
}

static void explain_devices(Buf *b, int n) {
    say(b, "", "(one processor: libomptarget's plugin for processors always has %d devices, which are the same)", n);
}

static bool try_devices(Buf *b, const char *archs, int n_gpus) {
    Buf text = {0};
    bool ok = run_program(archs, NULL, &text);
    int n = ok ? atoi(text.at) : 0;
    if (!ok) say_lines(b, "devices", &text);
    else if (!n) say(b, "devices", "none; kernels run on the host");
    buf_free(&text);
    for (int d = 0, same = 0; d < n; d += same) {
        Buf said = {0};
        ok = run_device(archs, d, &said) && ok;
        for (same = 1; d >= n_gpus && d + same < n; same++) { /* libomptarget makes several devices of one processor */
            Buf next = {0};
            bool is_same = run_device(archs, d + same, &next) && is_same_processor(&said, &next);
            buf_free(&next);
            if (!is_same) break;
        }
        say_devices(b, d, same, &said);
        if (same > 1) explain_devices(b, same);
        buf_free(&said);
    }
    return ok;
}

int doctor_run(Compiler *c) {
    Buf b = {0}, archs = {0};
    int n_gpus = 0;
    bool ok = look_around(c, &b, &archs, &n_gpus);
    ok = try_devices(&b, arena_printf(&c->arena, "--offload-arch=host%s", archs.n ? archs.at : ""), n_gpus) && ok;
    buf_free(&archs);
    bool written = write_fully(STDOUT_FILENO, b.at, b.n);
    buf_free(&b);
    return ok && written ? KDSLC_OK : KDSLC_DIAGNOSTICS;
}
