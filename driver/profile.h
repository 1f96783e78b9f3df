/* profile.h -- `kdslc profile`: runs the program and prints where its time went. */
#ifndef KDSL_PROFILE_H
#define KDSL_PROFILE_H

#include <stdbool.h>
#include <stdint.h>

#include "driver/options.h"
#include "offload/offload.h"

/* What the machine can do: measured, per second; 0: not known. */
typedef struct Limits {
    double bytes, f32, f64;
} Limits;

/* A row of the runtime's sums (runtime/profile.c): of a launch, of an array that is copied, of a wait. Texts are those
 * of the JSON that the program has written. */
typedef struct ProfileRow {
    const char *kind, *kernel, *array, *file, *device_name;
    int64_t line, column, device, n, ns, min_ns, max_ns, items, bytes, reads, writes, to_device, from_device;
    int64_t flops[2]; /* on f32, on f64; -1: not known */
    bool is_async, is_in_place;
} ProfileRow;
typedef Vec(ProfileRow) ProfileRows;

typedef struct Profile {
    const char *program;
    int64_t ns, host_ns;
    int exit_code; /* as a shell reports it */
    ProfileRows launches, moves, waits; /* each by its total time, longest first */
    Limits limits;
} Profile;

/* Runs the program; its exit code, or -1 with a diagnostic. */
int profile_run(Compiler *c, Blob program, const Options *o);

/* profile_limits.c: compiles and runs kernels that read and write memory, and that compute, with the same options. */
Limits profile_limits(const Options *o);

/* profile_text.c. Of a launch: bytes per second and the part of the limit; operations per second, their sum, or -1. */
double profile_bytes_rate(const ProfileRow *r);
double profile_flops_rate(const ProfileRow *r);
/* The time that the launch would need if only memory, or only arithmetic, took time, as a part of its time; -1: not
 * known. */
double profile_memory_share(const ProfileRow *r, const Limits *l);
double profile_flops_share(const ProfileRow *r, const Limits *l);
/* "memory", "arithmetic", or "" where nothing is known. */
const char *profile_nearer(const ProfileRow *r, const Limits *l);
void profile_as_text(const Profile *p, Buf *out);
void profile_as_json(const Profile *p, Buf *out);

#endif
