/* mock_hsa.h -- between the files of the mock HSA runtime. Numbers and layouts are HSA's own (HSA Runtime 1.2, and
   AMD's extension to it). */
#ifndef MOCK_HSA_H
#define MOCK_HSA_H
#include "tests/gpu/mock.h"

typedef uint32_t hsa_status_t;

enum {
    HSA_STATUS_SUCCESS = 0,
    HSA_STATUS_INFO_BREAK = 1,
    HSA_STATUS_ERROR = 0x1000,
    HSA_STATUS_ERROR_INVALID_ARGUMENT = 0x1001,
    HSA_STATUS_ERROR_INVALID_ALLOCATION = 0x1003,
    HSA_STATUS_ERROR_INVALID_AGENT = 0x1004,
    HSA_STATUS_ERROR_OUT_OF_RESOURCES = 0x1008,
    HSA_STATUS_ERROR_NOT_INITIALIZED = 0x100b,
    HSA_STATUS_ERROR_INVALID_CODE_OBJECT = 0x1010,
    HSA_STATUS_ERROR_INVALID_SYMBOL_NAME = 0x1013,
    HSA_STATUS_ERROR_EXCEPTION = 0x1016,
};

/* Everything is named by a handle; these pass in registers as a number does. */
typedef struct {
    uint64_t handle;
} Handle;

typedef struct Signal {
    _Atomic int64_t value;
} Signal;

/* As the specification lays it out. */
typedef struct {
    uint32_t type, features;
    void *packets;
    Handle doorbell;
    uint32_t n_packets, reserved;
    uint64_t id;
} QueueFace;

typedef struct {
    uint16_t header, setup, block[3], reserved0;
    uint32_t items[3]; /* of the whole grid */
    uint32_t private_bytes, group_bytes;
    uint64_t kernel;
    void *args;
    uint64_t reserved2;
    Handle done;
} DispatchPacket;

typedef struct {
    uint16_t header, reserved0;
    uint32_t reserved1;
    Handle before[5];
    uint64_t reserved2;
    Handle done;
} BarrierPacket;

_Static_assert(offsetof(DispatchPacket, done) == offsetof(BarrierPacket, done), "HSA 1.2");
_Static_assert(sizeof(QueueFace) == 40 && sizeof(DispatchPacket) == 64 && sizeof(BarrierPacket) == 64, "HSA 1.2");

enum { MAX_BLOCK = 1024, GROUP_MEMORY = 64 << 10 };

#define EXPORT __attribute__((visibility("default")))

/* mock_hsa.c */

/* Log why, and give back the error. */
hsa_status_t refuse(hsa_status_t error, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Which device an agent is; -1 for the CPU and for no agent. */
int device_of(Handle agent);

/* mock_hsa_queue.c */

/* Where a copy reads or writes `n_bytes` at an address of either side; NULL: not all of it is in one allocation. */
void *reach(const void *address, uint64_t n_bytes);
#endif
