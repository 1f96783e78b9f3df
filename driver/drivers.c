/* drivers.c -- see drivers.h. The library is opened by the name that libomptarget uses, in a child process that writes
 * its findings into a pipe: a line that begins with '!' is an error, any other line is a GPU, "sm_90 Name".
 *
 * Sources: cuda.h (CUDA Driver API, "Initialization", "Device Management"), hsa.h (HSA Runtime 1.2, "Agent"). */
#include "driver/drivers.h"

#include <dlfcn.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "irgen/irgen.h"

enum { MOST_SECONDS = 20 };

static void *function(void *library, const char *name) {
    void *f = library ? dlsym(library, name) : NULL;
    if (library && !f) printf("!it does not define %s\n", name);
    return f;
}

/* The questions, asked in the child -------------------------------------------------------------------------------- */

/* Answers with a text for an error, which both drivers have. */
static void complain(int (*text_of)(int, const char **), const char *called, int error) {
    const char *text = NULL;
    if (text_of) text_of(error, &text);
    printf("!%s: %s (error %d)\n", called, text ? text : "no reason given", error);
}

static void ask_cuda(void) {
    enum { NO_DEVICE = 100, MAJOR = 75, MINOR = 76 };
    void *library = dlopen("libcuda.so", RTLD_NOW | RTLD_LOCAL);
    int (*init)(unsigned) = (int (*)(unsigned))function(library, "cuInit");
    int (*text_of)(int, const char **) = (int (*)(int, const char **))function(library, "cuGetErrorString");
    int (*count)(int *) = (int (*)(int *))function(library, "cuDeviceGetCount");
    int (*get)(int *, int) = (int (*)(int *, int))function(library, "cuDeviceGet");
    int (*name_of)(char *, int, int) = (int (*)(char *, int, int))function(library, "cuDeviceGetName");
    int (*attribute)(int *, int, int) = (int (*)(int *, int, int))function(library, "cuDeviceGetAttribute");
    if (!init || !count || !get || !name_of || !attribute) return;
    int error = init(0), n = 0;
    if (error == NO_DEVICE) return;
    if (error) complain(text_of, "cuInit", error);
    else if ((error = count(&n))) complain(text_of, "cuDeviceGetCount", error);
    for (int i = 0, device, major, minor; i < n; i++) {
        char name[256];
        if (get(&device, i) || name_of(name, sizeof name, device) || attribute(&major, MAJOR, device) ||
            attribute(&minor, MINOR, device))
            printf("!device %d does not respond\n", i);
        else printf("sm_%d%d %s\n", major, minor, name);
    }
}

/* hsa_agent_get_info of the loaded library: the callback gets only its data. */
typedef int AgentInfo(uint64_t agent, int what, void *value);

static int each_agent(uint64_t agent, void *data) {
    enum { NAME = 0, DEVICE = 17, GPU = 1 };
    AgentInfo *info = *(AgentInfo **)data;
    char name[64] = "";
    int kind = 0;
    if (!info(agent, DEVICE, &kind) && kind == GPU && !info(agent, NAME, name)) printf("%.63s AMD GPU\n", name);
    return 0;
}

static void ask_hsa(void) {
    void *library = dlopen("libhsa-runtime64.so", RTLD_NOW | RTLD_LOCAL);
    int (*init)(void) = (int (*)(void))function(library, "hsa_init");
    int (*text_of)(int, const char **) = (int (*)(int, const char **))function(library, "hsa_status_string");
    int (*iterate)(int (*)(uint64_t, void *), void *) =
        (int (*)(int (*)(uint64_t, void *), void *))function(library, "hsa_iterate_agents");
    AgentInfo *info = (AgentInfo *)function(library, "hsa_agent_get_info");
    if (!init || !iterate || !info) return;
    int error = init();
    if (error) complain(text_of, "hsa_init", error);
    else if ((error = iterate(each_agent, &info))) complain(text_of, "hsa_iterate_agents", error);
}

/* The answers ------------------------------------------------------------------------------------------------------ */

/* What GPUs are compiled for: as with --offload-arch=auto. */
static void add_arch(DriverState *s, const char *arch) {
    bool is_nvidia = !strncmp(arch, "sm_", 3);
    if (is_nvidia ? atoi(arch + 3) >= 75 : irgen_knows_arch("amdgpu", arch)) {
        if (is_nvidia) arch = "nvidia";
    } else {
        buf_printf(&s->says, ", which is unknown to kdslc");
        return;
    }
    char item[64];
    snprintf(item, sizeof item, ",%.60s", arch);
    if (!s->archs.n || !strstr(s->archs.at, item)) buf_printf(&s->archs, "%s", item);
}

static void take_line(DriverState *s, const char *line) {
    const char *between = s->says.n ? ", " : "";
    if (*line == '!') {
        s->works = false;
        buf_printf(&s->says, "%s%s", between, line + 1);
        return;
    }
    char arch[64];
    int n = (int)strcspn(line, " ");
    snprintf(arch, sizeof arch, "%.*s", n, line);
    s->n_gpus++;
    buf_printf(&s->says, "%s%s (%s)", between, line[n] ? line + n + 1 : line, arch);
    add_arch(s, arch);
}

static DriverState ask(void (*question)(void)) {
    DriverState s = {.works = true};
    int ends[2], status = 0;
    fflush(NULL);
    if (pipe(ends)) return s;
    pid_t child = fork();
    if (!child) {
        dup2(ends[1], STDOUT_FILENO);
        close(ends[0]);
        alarm(MOST_SECONDS);
        question();
        fflush(stdout);
        _exit(0);
    }
    close(ends[1]);
    FILE *answers = fdopen(ends[0], "r");
    char line[512];
    while (answers && fgets(line, sizeof line, answers)) {
        line[strcspn(line, "\n")] = '\0';
        take_line(&s, line);
    }
    if (answers) fclose(answers);
    while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR) {}
    if (child < 0) take_line(&s, "!cannot start a process to query it");
    else if (WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM) take_line(&s, "!it does not respond");
    else if (WIFSIGNALED(status)) {
        snprintf(line, sizeof line, "!it crashes with signal %d (%s)", WTERMSIG(status), strsignal(WTERMSIG(status)));
        take_line(&s, line);
    }
    return s;
}

DriverState driver_ask_nvidia(void) { return ask(ask_cuda); }
DriverState driver_ask_amd(void) { return ask(ask_hsa); }

void driver_state_free(DriverState *s) {
    buf_free(&s->says);
    buf_free(&s->archs);
}
