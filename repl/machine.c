/* machine.c -- the devices, and the launches of the last input. */
#include <stdio.h>
#include <string.h>

#include "repl/internal.h"

/* Devices ---------------------------------------------------------------------------------------------------------- */

static int n_devices(const Session *s) { return ((int32_t (*)(void))jit_runtime(s->jit, "kdsl_n_devices"))(); }

static int default_device(const Session *s) {
    return (int)((int64_t (*)(void))jit_runtime(s->jit, "kdsl_default_device"))();
}

static const char *device_name(const Session *s, int device) {
    const char *(*name)(const char *, int64_t) =
        (const char *(*)(const char *, int64_t))jit_runtime(s->jit, "kdsl_device_name");
    return name(NULL, device);
}

static bool is_gpu(const Session *s, int device) {
    return ((bool (*)(int))jit_runtime(s->jit, "kdsl_device_is_gpu"))(device);
}

static void forget(Session *s, Decl *d) {
    int kept = 0;
    for (int i = 0; i < s->decls.n; i++)
        if (s->decls.at[i] != d) s->decls.at[kept++] = s->decls.at[i];
    s->decls.n = kept;
    if (d) decl_free(d);
}

/* GPUs become available at the first launch (jit.c, start_devices), so this launches a kernel. */
static void find_gpus(Session *s) {
    static const char first[] = "kernel _find_devices(v: &mut [i32; n]) over i in n { v[i] = 1; }\n"
                                "if true { var v = [0; 1]; offload _find_devices(&mut v); }";
    Buf said = {0};
    if (!archs_have_gpu(&s->archs) || n_devices(s)) return;
    session_run(s, first, sizeof first - 1, NULL, &said);
    forget(s, decl_find(s, "_find_devices"));
    buf_free(&said);
}

bool session_devices(Session *s, Buf *out) {
    find_gpus(s);
    int n = n_devices(s), chosen = default_device(s);
    for (int i = 0; i < n; i++)
        buf_printf(out, "%c %d  %s%s\n", i == chosen ? '*' : ' ', i, device_name(s, i),
                   is_gpu(s, i) ? "" : ", as a separate device");
    if (!n) buf_puts(out, "none: kernels run on the host\n");
    return true;
}

bool session_check(Session *s, const char *list, Buf *out) {
    unsigned checks = 0;
    if (*list && strcmp(list, "off") && !shadow_checks(list, &checks)) {
        buf_printf(out, "use `race`, `init`, both (`race,init`) or `off`, not `%s`\n", list);
        return false;
    }
    if (checks && archs_have_gpu(&s->archs)) {
        buf_puts(out, "the check is for the CPU device: start the session with --offload-arch=host\n");
        return false;
    }
    if (*list) s->options.shadow = checks;
    checks = s->options.shadow;
    buf_printf(out, "launches are checked for: bounds%s%s\n", checks & SHADOW_RACE ? ", race" : "",
               checks & SHADOW_INIT ? ", init" : "");
    return true;
}

bool session_device(Session *s, int64_t device, Buf *out) {
    find_gpus(s);
    int n = n_devices(s);
    if (device < 0 || device >= n) {
        buf_printf(out, "there is no device %lld; `:devices` lists %s\n", (long long)device,
                   n ? "the available devices" : "none");
        return false;
    }
    jit_choose_device(s->jit, (int)device);
    buf_printf(out, "all further launches use device %d: %s\n", (int)device, device_name(s, (int)device));
    return true;
}

/* Launches --------------------------------------------------------------------------------------------------------- */

static const char *geometry(Arena *a, const Session *s, const KdslLaunch *l) {
    const char *items = arena_printf(a, "%lld item%s", (long long)l->items, l->items == 1 ? "" : "s");
    if (l->device < 0 || !is_gpu(s, l->device)) return items;
    int64_t blocks = 1, threads = 1;
    for (int i = 0; i < 3; i++) blocks *= l->blocks[i], threads *= l->threads[i];
    return arena_printf(a, "%s in %lld block%s of %lld", items, (long long)blocks, blocks == 1 ? "" : "s",
                        (long long)threads);
}

static const char *where(Arena *a, const Session *s, const KdslLaunch *l) {
    if (!*l->kernel) return "";
    if (l->device < 0) return "the host";
    if (is_gpu(s, l->device)) return arena_printf(a, "%s (device %d)", device_name(s, l->device), l->device);
    return arena_printf(a, "x86-64 (device %d)", l->device);
}

void note_launches(Session *s) {
    Arena *a = &s->last->c.arena;
    const KdslLaunch *l;
    int n = jit_launches(s->jit, &l);
    for (int i = 0; i < n; i++, l++) {
        SessionLaunch told = {.kernel = *l->kernel ? arena_strndup(a, l->kernel, strlen(l->kernel)) : "host code",
                              .device = where(a, s, l),
                              .geometry = *l->kernel ? geometry(a, s, l) : "",
                              .seconds = l->seconds,
                              .bytes_to = l->bytes_to,
                              .bytes_from = l->bytes_from,
                              .is_in_place = l->is_in_place};
        list_push(&s->launches, told);
        list_push(&s->launch_times, (int)(l->times < INT32_MAX ? l->times : INT32_MAX));
    }
}

int session_launches(const Session *s, const SessionLaunch **at, const int **times) {
    *at = s->launches.at;
    *times = s->launch_times.at;
    return s->launches.n;
}
