// cuda_peer.cu -- what peers/driver.c asks of a peer, for CUDA: memory of the device, and time by events. With
// CUDA_TIMES the program appends rows to that file: kernel, launches, best, median and total seconds.
#include "cuda_peer.h"
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>
#include <vector>

namespace {

struct Launch {
    const char *kernel;
    cudaEvent_t before, after;
};

std::map<const void *, void *> mapped; // host -> device
std::vector<Launch> launches;
cudaEvent_t start_event, stop_event;
const char *times_path;

cudaEvent_t new_event() {
    cudaEvent_t event;
    check(cudaEventCreate(&event), "cudaEventCreate");
    return event;
}

double seconds_between(cudaEvent_t from, cudaEvent_t to) {
    float milliseconds;
    check(cudaEventElapsedTime(&milliseconds, from, to), "cudaEventElapsedTime");
    return milliseconds * 1e-3;
}

void write_times() {
    std::map<std::string, std::vector<double>> times;
    for (const Launch &l : launches) times[l.kernel].push_back(seconds_between(l.before, l.after));
    FILE *file = fopen(times_path, "a");
    if (!file) return perror(times_path);
    for (auto &[kernel, t] : times) {
        double total = 0;
        for (double seconds : t) total += seconds;
        std::sort(t.begin(), t.end());
        fprintf(file, "%s\t%zu\t%.9f\t%.9f\t%.9f\n", kernel.c_str(), t.size(), t.front(), t[t.size() / 2], total);
    }
    fclose(file);
}

} // namespace

void check(cudaError_t status, const char *what) {
    if (status == cudaSuccess) return;
    fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(status));
    exit(1);
}

void begin_kernel(const char *name) {
    if (!times_path) return;
    launches.push_back({name, new_event(), new_event()});
    check(cudaEventRecord(launches.back().before), name);
}

void end_kernel() {
    check(cudaGetLastError(), "a launch");
    if (times_path) check(cudaEventRecord(launches.back().after), "cudaEventRecord");
}

void *device_address(const void *host) { return mapped.at(host); }

float *scratch(int n_floats) {
    static float *memory;
    static int n;
    if (n < n_floats) {
        cudaFree(memory);
        check(cudaMalloc(&memory, (n = n_floats) * sizeof(float)), "cudaMalloc");
    }
    return memory;
}

void fetch(float *to, const float *from) {
    check(cudaMemcpy(to, from, sizeof *to, cudaMemcpyDeviceToHost), "cudaMemcpy");
}

void clear(int *p, int n) { check(cudaMemsetAsync(p, 0, n * sizeof(int)), "cudaMemsetAsync"); }

extern "C" {

void peer_init(void) {
    times_path = getenv("CUDA_TIMES");
    start_event = new_event();
    stop_event = new_event();
}

void peer_in(void *p, size_t n_bytes) {
    void *&device = mapped[p];
    if (!device) check(cudaMalloc(&device, n_bytes), "cudaMalloc");
    check(cudaMemcpy(device, p, n_bytes, cudaMemcpyHostToDevice), "cudaMemcpy");
}

void peer_out(void *p, size_t n_bytes) {
    check(cudaMemcpy(p, device_address(p), n_bytes, cudaMemcpyDeviceToHost), "cudaMemcpy");
}

void peer_sync(void) { check(cudaDeviceSynchronize(), "cudaDeviceSynchronize"); }

void peer_start(void) {
    peer_sync();
    check(cudaEventRecord(start_event), "cudaEventRecord");
}

double peer_seconds(void) {
    check(cudaEventRecord(stop_event), "cudaEventRecord");
    check(cudaEventSynchronize(stop_event), "cudaEventSynchronize");
    return seconds_between(start_event, stop_event);
}

void peer_end(void) {
    if (times_path) write_times();
}

} // extern "C"
