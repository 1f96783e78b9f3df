/* mock_memory.c -- the memory of the devices: one file in memory, seen twice. At the addresses that programs get nobody
   may read or write, until a kernel runs; the drivers use the other view. */
#define _GNU_SOURCE
#include "tests/gpu/mock.h"
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* Of addresses there is no want: none is used twice, and what is released goes back to the machine. */
#define SPACE (UINT64_C(1) << 38)
static const uint64_t PAGE = 4096;

static struct {
    int file;
    char *outside, *inside; /* what programs are given; what the drivers use */
    uint64_t next;          /* offset of what was never used */
    uint64_t used[MOCK_MAX_DEVICES];
    MockAllocation **list; /* by address, which is by number too */
    int n, capacity, n_ever, n_open;
    _Atomic uint64_t n_released;
    pthread_mutex_t lock;
} memory = {.file = -1, .lock = PTHREAD_MUTEX_INITIALIZER};

static void stop(const char *what) {
    perror(what);
    abort();
}

static void set_up(void) {
    memory.file = memfd_create("device", MFD_CLOEXEC);
    if (memory.file < 0 || ftruncate(memory.file, SPACE)) stop("the memory of a mock device");
    int flags = MAP_SHARED | MAP_NORESERVE;
    memory.outside = mmap(NULL, SPACE, PROT_NONE, flags, memory.file, 0);
    memory.inside = mmap(NULL, SPACE, PROT_READ | PROT_WRITE, flags, memory.file, 0);
    if (memory.outside == MAP_FAILED || memory.inside == MAP_FAILED) stop("the memory of a mock device");
}

static uint64_t to_pages(uint64_t n_bytes) { return (n_bytes + PAGE - 1) & ~(PAGE - 1); }

static void protect(const MockAllocation *a, int how) {
    if (mprotect((void *)a->address, to_pages(a->n_bytes), how)) stop("the memory of a mock device");
}

/* Something that nobody has written; of very much, in a file that is as good as empty, its beginning only. */
static void fill(char *at, uint64_t n_bytes) {
    const uint64_t most = UINT64_C(1) << 28;
    memset(at, 0xCB, n_bytes < most ? n_bytes : most);
}

static uint64_t allocate(int device, uint64_t n_bytes) {
    if (memory.file < 0) set_up();
    uint64_t n_taken = to_pages(n_bytes ? n_bytes : 1);
    if (n_taken > mock_memory_bytes() - memory.used[device] || n_taken + PAGE > SPACE - memory.next) return 0;
    if (memory.n == memory.capacity) {
        memory.capacity = memory.capacity ? 2 * memory.capacity : 64;
        memory.list = realloc(memory.list, (size_t)memory.capacity * sizeof *memory.list);
    }
    MockAllocation *a = malloc(sizeof *a);
    uint64_t address = (uint64_t)memory.outside + memory.next;
    *a = (MockAllocation){.number = ++memory.n_ever, .device = device, .address = address, .n_bytes = n_bytes};
    fill(memory.inside + memory.next, n_bytes);
    memory.next += n_taken + PAGE;
    memory.used[device] += n_taken;
    memory.list[memory.n++] = a;
    if (memory.n_open) protect(a, PROT_READ | PROT_WRITE);
    return address;
}

uint64_t mock_allocate(int device, uint64_t n_bytes) {
    pthread_mutex_lock(&memory.lock);
    uint64_t address = allocate(device, n_bytes);
    pthread_mutex_unlock(&memory.lock);
    return address;
}

/* The last allocation that begins at or before the address: its place in the list, or -1. */
static int place(uint64_t address) {
    int low = 0, high = memory.n;
    while (low < high) {
        int middle = (low + high) / 2;
        if (memory.list[middle]->address <= address) low = middle + 1;
        else high = middle;
    }
    return low - 1;
}

const MockAllocation *mock_find(uint64_t address, uint64_t n_bytes) {
    pthread_mutex_lock(&memory.lock);
    int i = place(address);
    MockAllocation *a = i < 0 ? NULL : memory.list[i];
    bool inside = a && address - a->address <= a->n_bytes && n_bytes <= a->n_bytes - (address - a->address);
    pthread_mutex_unlock(&memory.lock);
    return inside ? a : NULL;
}

bool mock_release(uint64_t address) {
    pthread_mutex_lock(&memory.lock);
    int i = place(address);
    bool found = i >= 0 && memory.list[i]->address == address;
    if (found) {
        MockAllocation *a = memory.list[i];
        uint64_t n_taken = to_pages(a->n_bytes ? a->n_bytes : 1);
        if (memory.n_open) protect(a, PROT_NONE);
        memory.used[a->device] -= n_taken;
        memory.n_released++;
        fallocate(memory.file, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)(address - (uint64_t)memory.outside),
                  (off_t)n_taken);
        memmove(memory.list + i, memory.list + i + 1, (size_t)(--memory.n - i) * sizeof *memory.list);
        free(a);
    }
    pthread_mutex_unlock(&memory.lock);
    return found;
}

uint64_t mock_n_released(void) { return memory.n_released; }

uint64_t mock_free_bytes(int device) { return mock_memory_bytes() - memory.used[device]; }

bool mock_is_device_address(uint64_t address) { return memory.file >= 0 && address - (uint64_t)memory.outside < SPACE; }

void *mock_view(uint64_t address) { return memory.inside + (address - (uint64_t)memory.outside); }

enum { MAX_PINNED = 1024 };

static struct { uint64_t address, n_bytes; /* 0: free */ } pinned[MAX_PINNED];

void mock_pin(void *p, uint64_t n_bytes) {
    pthread_mutex_lock(&memory.lock);
    int i = 0;
    while (i < MAX_PINNED && pinned[i].address) i++;
    if (i == MAX_PINNED) stop("more pinned memory than the mock driver keeps account of");
    pinned[i].address = (uint64_t)p;
    pinned[i].n_bytes = n_bytes;
    pthread_mutex_unlock(&memory.lock);
}

void mock_unpin(void *p) {
    pthread_mutex_lock(&memory.lock);
    for (int i = 0; i < MAX_PINNED; i++)
        if (pinned[i].address == (uint64_t)p) pinned[i].address = 0;
    pthread_mutex_unlock(&memory.lock);
}

bool mock_is_pinned(uint64_t address, uint64_t n_bytes) {
    bool found = false;
    pthread_mutex_lock(&memory.lock);
    for (int i = 0; i < MAX_PINNED; i++) {
        uint64_t offset = address - pinned[i].address;
        if (pinned[i].address && offset < pinned[i].n_bytes) found |= n_bytes <= pinned[i].n_bytes - offset;
    }
    pthread_mutex_unlock(&memory.lock);
    return found;
}

static void protect_all(int how) {
    for (int i = 0; i < memory.n; i++) protect(memory.list[i], how);
}

void mock_open_memory(void) {
    pthread_mutex_lock(&memory.lock);
    if (memory.n_open++ == 0) protect_all(PROT_READ | PROT_WRITE);
    pthread_mutex_unlock(&memory.lock);
}

void mock_close_memory(void) {
    pthread_mutex_lock(&memory.lock);
    if (--memory.n_open == 0) protect_all(PROT_NONE);
    pthread_mutex_unlock(&memory.lock);
}

const char *mock_show(uint64_t value) {
    static _Thread_local char texts[8][40];
    static _Thread_local unsigned next;
    char *text = texts[next++ % 8];
    const MockAllocation *a = mock_find(value, 0);
    uint64_t offset = a ? value - a->address : 0;
    if (a && offset) snprintf(text, sizeof texts[0], "a%d+%" PRIu64, a->number, offset);
    else if (a) snprintf(text, sizeof texts[0], "a%d", a->number);
    else if (mock_is_device_address(value)) snprintf(text, sizeof texts[0], "dangling");
    else snprintf(text, sizeof texts[0], "%#" PRIx64, value);
    return text;
}
