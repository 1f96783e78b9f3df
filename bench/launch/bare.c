/* The bare protocol, by hand: kernels that do nothing, with as many arrays as those in launch.kdsl, and nothing between
 * the loop and libomptarget. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

typedef struct {
    uint64_t reserved;
    uint16_t version, kind;
    uint32_t flags;
    void *address;
    const char *name;
    uint64_t size_bytes, data;
    void *aux;
} Entry;
typedef struct {
    void *begin, *end;
    Entry *entries, *entries_end;
} Image;
typedef struct {
    int32_t n;
    Image *images;
    Entry *entries, *entries_end;
} Descriptor;
typedef struct {
    uint32_t version, n_args;
    void **bases, **begins;
    int64_t *sizes, *types;
    void **names, **mappers;
    uint64_t trip_count, flags;
    uint32_t teams[3], threads[3], dynamic_bytes;
} Launch;
_Static_assert(sizeof(Entry) == 56 && sizeof(Launch) == 104, "libomptarget 22");

void __tgt_register_lib(Descriptor *);
void __tgt_unregister_lib(Descriptor *);
int __tgt_target_kernel(void *, int64_t, int32_t, int32_t, void *, Launch *);
void __tgt_target_data_begin_mapper(void *, int64_t, int32_t, void **, void **, int64_t *, int64_t *, void **, void **);

__asm__(".section .rodata\n.p2align 4\nimage_begin: .incbin \"" IMAGE "\"\nimage_end:\n.previous\n");
extern char image_begin[] __attribute__((visibility("hidden"))), image_end[] __attribute__((visibility("hidden")));

static char id0, id1, id4, id8;
static Entry entries[] = {{0, 1, 1, 0, &id0, "empty0", 0, 0, 0},
                          {0, 1, 1, 0, &id1, "empty1", 0, 0, 0},
                          {0, 1, 1, 0, &id4, "empty4", 0, 0, 0},
                          {0, 1, 1, 0, &id8, "empty8", 0, 0, 0}};
static Image image = {image_begin, image_end, entries, entries + 4};
static Descriptor descriptor = {1, &image, entries, entries + 4};

static void unregister(void) { __tgt_unregister_lib(&descriptor); }
__attribute__((constructor(101))) static void register_(void) {
    __tgt_register_lib(&descriptor);
    atexit(unregister);
}

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

enum { LAUNCHES = 100000, MOST = 8 };
static float array[MOST][1024];

/* Nanoseconds a launch, with n arrays, as mapped sections or as addresses, and their extent as one literal. */
static double time_launches(void *id, int n, int in_place) {
    void *bases[MOST + 1];
    int64_t sizes[MOST + 1], types[MOST + 1];
    for (int i = 0; i <= n; i++) {
        int is_array = i < n;
        bases[i] = is_array ? array[i] : (void *)1024;
        sizes[i] = is_array && !in_place ? 4096 : 8;
        types[i] = is_array && !in_place ? 0x23 : 0x120;
    }
    uint32_t n_args = n ? (uint32_t)n + 1 : 0;
    double start = now();
    for (int i = 0; i < LAUNCHES; i++) {
        Launch l = {3, n_args, bases, bases, sizes, types, 0, 0, 1024, 0, {1, 1, 1}, {1, 1, 1}, 0};
        if (__tgt_target_kernel(0, -1, 1, 1, id, &l)) exit(1);
    }
    return (now() - start) / LAUNCHES * 1e9;
}

int main(int argc, char **argv) {
    static const struct {
        char *id;
        int n;
    } rows[] = {{&id0, 0}, {&id1, 1}, {&id4, 4}, {&id8, 8}};
    int in_place = argc > 1 && *argv[1] == 'i';
    double best[4] = {1e30, 1e30, 1e30, 1e30};
    for (int i = 0; i < MOST && !in_place; i++) {
        void *base = array[i];
        int64_t size = 4096, to = 1;
        __tgt_target_data_begin_mapper(0, -1, 1, &base, &base, &size, &to, 0, 0);
    }
    for (int round = 0; round < 5; round++)
        for (int k = 0; k < 4; k++) {
            double t = time_launches(rows[k].id, rows[k].n, in_place);
            if (t < best[k]) best[k] = t;
        }
    printf("bare   ");
    for (int k = 0; k < 4; k++) printf(" %6.0f", best[k]);
    puts("");
}
