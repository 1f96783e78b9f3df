/* launch.c -- every launch comes through here on its way to libomptarget: the device may be one that the user will not
 * have (device.c), the launch may be counted (report.c), and where the driver gives up, which ends the process, the
 * last words say which launch it was. */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "runtime/internal.h"

__attribute__((weak)) int32_t __tgt_target_kernel(void *loc, int64_t device, int32_t teams, int32_t threads,
                                                  void *region, void *args);

/* ident_t.psource: ";file;function;line;column;;" */
static const char *source_of(const void *ident) { return *(const char *const *)((const char *)ident + 16); }

enum { FILE_NAME, KERNEL, LINE };

int kdsl_field(const char *text, int k, const char **at) {
    *at = text + (*text == ';');
    for (; k > 0 && **at; k--) {
        *at += strcspn(*at, ";");
        *at += **at == ';';
    }
    return (int)strcspn(*at, ";");
}

/* Where the driver gives up ------------------------------------------------------------------------------------------
 */

static _Thread_local const void *launching; /* the ident of the launch at hand */

static void tell(const char *at, int n) {
    if (write(STDERR_FILENO, at, (size_t)n) < 0) return; /* nobody to tell */
}

static struct sigaction before_us; /* LLVM's, or the program's own: has its turn behind us */

/* Only what a signal handler may do. */
static void on_abort(int signal) {
    const char *file, *kernel, *line;
    sigaction(signal, &before_us, NULL);
    raise(signal); /* waits until we are through */
    if (!launching) return;
    int n_file = kdsl_field(source_of(launching), FILE_NAME, &file),
        n_kernel = kdsl_field(source_of(launching), KERNEL, &kernel);
    int n_line = kdsl_field(source_of(launching), LINE, &line);
    tell(file, n_file);
    tell(":", 1);
    tell(line, n_line);
    static const char before[] = ": the launch of `", behind[] = "` failed on its device, for the reason above\n";
    tell(before, sizeof before - 1);
    tell(kernel, n_kernel);
    tell(behind, sizeof behind - 1);
}

static bool needs_gpu;

static void begin(void) {
    needs_gpu = kdsl_device_is_required();
    struct sigaction ours = {.sa_handler = on_abort};
    sigaction(SIGABRT, &ours, &before_us);
}

/* At the first launch, or copy. */
static void begin_once(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, begin);
}

void kdsl_moving(const KdslSection *what, int64_t n_bytes, bool in) {
    begin_once();
    launching = what ? what->ident : NULL;
    kdsl_report_moving(what, n_bytes, in);
}

/* Launches -----------------------------------------------------------------------------------------------------------
 */

static void require_gpu(const void *ident, int64_t device) {
    static _Thread_local char text[512];
    const char *file, *line;
    int n_file = kdsl_field(source_of(ident), FILE_NAME, &file), n_line = kdsl_field(source_of(ident), LINE, &line);
    snprintf(text, sizeof text, "%.*s:%.*s", n_file, file, n_line, line);
    kdsl_device_require(text, device);
}

int32_t kdsl_launch(void *loc, int64_t device, int32_t teams, int32_t threads, void *region, void *args) {
    begin_once();
    if (needs_gpu) require_gpu(loc, device);
    launching = loc;
    int32_t rc = kdsl_report_is_on ? kdsl_report_launch(loc, device, teams, threads, region, args)
                                   : __tgt_target_kernel(loc, device, teams, threads, region, args);
    launching = NULL;
    return rc;
}

/* Of a kernel that has something of its own on the device (irgen/gpu_reduce.c). */
int32_t kdsl_launch_alone(void *loc, int64_t device, int32_t teams, int32_t threads, void *region, void *args) {
    static pthread_mutex_t one_at_a_time = PTHREAD_MUTEX_INITIALIZER;
    pthread_mutex_lock(&one_at_a_time);
    int32_t rc = kdsl_launch(loc, device, teams, threads, region, args);
    pthread_mutex_unlock(&one_at_a_time);
    return rc;
}
