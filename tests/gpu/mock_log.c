/* mock_log.c -- settings from the environment, and the log. */
#define _GNU_SOURCE
#include "tests/gpu/mock.h"
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

const char *mock_setting(const char *name, const char *otherwise) {
    const char *value = getenv(name);
    return value && *value ? value : otherwise;
}

int mock_n_devices(void) {
    int n = atoi(mock_setting("KDSL_MOCK_DEVICES", "1"));
    return n < 0 ? 0 : n > MOCK_MAX_DEVICES ? MOCK_MAX_DEVICES : n;
}

const char *mock_arch(int device, const char *otherwise) {
    static char arch[MOCK_MAX_DEVICES][32];
    const char *at = mock_setting("KDSL_MOCK_ARCH", otherwise);
    for (int i = 0; i < device && strchr(at, ','); i++) at = strchr(at, ',') + 1;
    size_t n = strcspn(at, ",");
    char *name = arch[device];
    if (!*name) snprintf(name, sizeof arch[0], "%.*s", (int)n, at);
    return name;
}

uint64_t mock_memory_bytes(void) {
    char *unit;
    uint64_t n = strtoull(mock_setting("KDSL_MOCK_MEMORY", "1G"), &unit, 10);
    return n << (*unit == 'K' ? 10 : *unit == 'M' ? 20 : *unit == 'G' ? 30 : 0);
}

enum { MAX_KINDS = 16 };

bool mock_fails(const char *kind) {
    static struct {
        const char *kind;
        int n_calls;
    } counts[MAX_KINDS];
    pthread_mutex_lock(&lock);
    int k = 0;
    while (k < MAX_KINDS - 1 && counts[k].kind && strcmp(counts[k].kind, kind)) k++;
    counts[k].kind = kind;
    int call = ++counts[k].n_calls;
    pthread_mutex_unlock(&lock);
    size_t length = strlen(kind);
    for (const char *at = mock_setting("KDSL_MOCK_FAIL", ""); *at; at += strcspn(at, ","), at += *at == ',') {
        if (strncmp(at, kind, length) || at[length] != ':') continue;
        char *end;
        long wanted = strtol(at + length + 1, &end, 10);
        if (call == wanted || (*end == '+' && call > wanted)) return true;
    }
    return false;
}

void mock_log(const char *format, ...) {
    const char *path = mock_setting("KDSL_MOCK_LOG", NULL);
    if (!path) return;
    va_list args;
    va_start(args, format);
    char *line;
    int n = vasprintf(&line, format, args);
    va_end(args);
    if (n < 0) return;
    pthread_mutex_lock(&lock);
    FILE *file = fopen(path, "a");
    if (file) fprintf(file, "%s\n", line), fclose(file);
    pthread_mutex_unlock(&lock);
    free(line);
}

int mock_number(_Atomic int *counter) { return atomic_fetch_add(counter, 1) + 1; }

double mock_now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}
