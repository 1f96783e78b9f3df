/* mock_hsa.c -- libhsa-runtime64.so without a GPU: what libomptarget's AMDGPU plugin asks of AMD's runtime (mock.h
   tells of its settings). Here: agents, memory pools and executables; mock_hsa_queue.c has signals, copies and
   queues. */
#define _GNU_SOURCE
#include "tests/gpu/mock_hsa.h"
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

hsa_status_t refuse(hsa_status_t error, const char *format, ...) {
    char text[512];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    mock_log("error %#x %s", error, text);
    return error;
}

static const struct {
    hsa_status_t status;
    const char *text;
} STATUS[] = {
    {HSA_STATUS_SUCCESS, "HSA_STATUS_SUCCESS: The function has been executed successfully."},
    {HSA_STATUS_ERROR, "HSA_STATUS_ERROR: A generic error has occurred."},
    {HSA_STATUS_ERROR_INVALID_ARGUMENT,
     "HSA_STATUS_ERROR_INVALID_ARGUMENT: One of the actual arguments does not meet a "
     "precondition stated in the documentation of the corresponding formal argument."},
    {HSA_STATUS_ERROR_INVALID_ALLOCATION,
     "HSA_STATUS_ERROR_INVALID_ALLOCATION: The requested allocation is not valid."},
    {HSA_STATUS_ERROR_INVALID_AGENT, "HSA_STATUS_ERROR_INVALID_AGENT: The agent is invalid."},
    {HSA_STATUS_ERROR_OUT_OF_RESOURCES,
     "HSA_STATUS_ERROR_OUT_OF_RESOURCES: The runtime failed to allocate the necessary "
     "resources. This error may also occur when the core runtime library needs to "
     "spawn threads or create internal OS-specific events."},
    {HSA_STATUS_ERROR_NOT_INITIALIZED, "HSA_STATUS_ERROR_NOT_INITIALIZED: An API other than hsa_init has been invoked "
                                       "while the reference count of the HSA runtime is zero."},
    {HSA_STATUS_ERROR_INVALID_CODE_OBJECT, "HSA_STATUS_ERROR_INVALID_CODE_OBJECT: The code object is invalid."},
    {HSA_STATUS_ERROR_INVALID_SYMBOL_NAME,
     "HSA_STATUS_ERROR_INVALID_SYMBOL_NAME: There is no symbol with the given name."},
    {HSA_STATUS_ERROR_EXCEPTION, "HSA_STATUS_ERROR_EXCEPTION: An HSAIL operation resulted in a hardware exception."},
};

EXPORT hsa_status_t hsa_status_string(hsa_status_t status, const char **text) {
    for (size_t i = 0; i < sizeof STATUS / sizeof *STATUS; i++)
        if (STATUS[i].status == status) return *text = STATUS[i].text, HSA_STATUS_SUCCESS;
    return HSA_STATUS_ERROR_INVALID_ARGUMENT;
}

/* Agents: the CPU, then the devices -------------------------------------------------------------------------------- */

enum { CPU_AGENT = 1, FIRST_GPU_AGENT = 2, GPU_TYPE = 1 };

typedef struct {
    const char *name, *generic; /* the family whose code it runs as well */
    const char *features;       /* of its ISA */
    uint32_t wavefront, n_units;
} Chip;

static const Chip CHIPS[] = {
    {"gfx906", "gfx9-generic", ":sramecc+:xnack-", 64, 60},
    {"gfx908", NULL, ":sramecc+:xnack-", 64, 120},
    {"gfx90a", NULL, ":sramecc+:xnack-", 64, 104},
    {"gfx942", "gfx9-4-generic", ":sramecc+:xnack-", 64, 304},
    {"gfx950", "gfx9-4-generic", ":sramecc+:xnack-", 64, 256},
    {"gfx1030", "gfx10-3-generic", "", 32, 80},
    {"gfx1100", "gfx11-generic", "", 32, 96},
    {"gfx1101", "gfx11-generic", "", 32, 60},
    {"gfx1102", "gfx11-generic", "", 32, 32},
    {"gfx1200", "gfx12-generic", "", 32, 32},
    {"gfx1201", "gfx12-generic", "", 32, 64},
};

static int n_uses; /* hsa_init, less hsa_shut_down */

int device_of(Handle agent) {
    return agent.handle >= FIRST_GPU_AGENT && agent.handle < (uint64_t)(FIRST_GPU_AGENT + mock_n_devices())
               ? (int)(agent.handle - FIRST_GPU_AGENT)
               : -1;
}

static const Chip *chip_of(int device) {
    for (size_t i = 0; i < sizeof CHIPS / sizeof *CHIPS; i++)
        if (!strcmp(CHIPS[i].name, mock_arch(device, "gfx90a"))) return &CHIPS[i];
    fprintf(stderr, "KDSL_MOCK_ARCH: no `%s` among the AMD processors of the mock\n", mock_arch(device, "gfx90a"));
    abort();
}

EXPORT hsa_status_t hsa_init(void) {
    if (mock_fails("init")) return refuse(HSA_STATUS_ERROR, "init");
    if (n_uses++) return HSA_STATUS_SUCCESS;
    for (int i = 0; i < mock_n_devices(); i++) mock_log("device %d %s", i, chip_of(i)->name);
    return HSA_STATUS_SUCCESS;
}

EXPORT hsa_status_t hsa_shut_down(void) { return n_uses-- > 0 ? HSA_STATUS_SUCCESS : HSA_STATUS_ERROR_NOT_INITIALIZED; }

typedef hsa_status_t AgentVisitor(Handle agent, void *data);
typedef AgentVisitor IsaVisitor, PoolVisitor;

EXPORT hsa_status_t hsa_iterate_agents(AgentVisitor *visit, void *data) {
    if (!n_uses) return HSA_STATUS_ERROR_NOT_INITIALIZED;
    for (int i = 0; i <= mock_n_devices(); i++) {
        hsa_status_t status = visit((Handle){CPU_AGENT + (uint64_t)i}, data);
        if (status) return status;
    }
    return HSA_STATUS_SUCCESS;
}

EXPORT hsa_status_t hsa_system_get_info(uint32_t attribute, void *value) {
    switch (attribute) {
    case 0:
    case 1: *(uint16_t *)value = 1; break; /* version */
    case 2: *(uint64_t *)value = (uint64_t)(mock_now() * 1e9); break;
    case 3: *(uint64_t *)value = 1000000000; break; /* ticks a second */
    default: return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    }
    return HSA_STATUS_SUCCESS;
}

/* hsa_agent_info_t, hsa_amd_agent_info_t */
enum {
    INFO_NAME = 0,
    INFO_VENDOR = 1,
    INFO_MAX_DIM = 7,
    INFO_GRID_MAX_DIM = 9,
    INFO_CACHES = 18,
    INFO_FAST_F16 = 24,
    INFO_PRODUCT = 0xa009,
    INFO_COOPERATIVE = 0xa010,
    INFO_UUID = 0xa011,
    INFO_TIMESTAMP_FREQUENCY = 0xa016,
    INFO_PROPERTIES = 0xa114,
};

/* The attributes that are one 32-bit number, and the same for every chip. */
static const struct {
    uint32_t attribute, value;
} NUMBERS[] = {
    {2, 1},           /* features: dispatches kernels */
    {3, 1},           /* machine model: large */
    {4, 0},           /* profile: base */
    {8, MAX_BLOCK},   /* items in a group */
    {10, UINT32_MAX}, /* items in a grid */
    {11, 32},         /* barriers in a group */
    {12, 128},        /* queues */
    {13, 64},         /* packets in a queue, least */
    {14, 131072},     /* and most */
    {0xa000, 0x740c}, /* chip */
    {0xa001, 64},     /* bytes in a cache line */
    {0xa003, 1700},   /* clock, MHz */
    {0xa008, 1600},   /* memory clock, MHz */
    {0xa00a, 32},     /* wavefronts in a compute unit */
    {0xa00b, 4},      /* SIMDs in a compute unit */
};

static hsa_status_t gpu_info(int device, uint32_t attribute, void *value) {
    const Chip *chip = chip_of(device);
    uint32_t *number = value;
    switch (attribute) {
    case 6: *number = chip->wavefront; return HSA_STATUS_SUCCESS;
    case 16: *number = (uint32_t)device + 1; return HSA_STATUS_SUCCESS; /* node */
    case 17: *number = GPU_TYPE; return HSA_STATUS_SUCCESS;
    case 0xa002: *number = chip->n_units; return HSA_STATUS_SUCCESS;
    case INFO_MAX_DIM: memcpy(value, (uint16_t[]){MAX_BLOCK, MAX_BLOCK, MAX_BLOCK}, 6); return HSA_STATUS_SUCCESS;
    case INFO_GRID_MAX_DIM: memset(value, 0xff, 12); return HSA_STATUS_SUCCESS;
    case INFO_CACHES: memcpy(value, (uint32_t[]){16 << 10, 8 << 20, 0, 0}, 16); return HSA_STATUS_SUCCESS;
    case INFO_NAME: strcpy(value, chip->name); return HSA_STATUS_SUCCESS;
    case INFO_VENDOR: strcpy(value, "AMD"); return HSA_STATUS_SUCCESS;
    case INFO_PRODUCT: snprintf(value, 64, "%s", mock_setting("KDSL_MOCK_NAME", "Mock GPU")); return HSA_STATUS_SUCCESS;
    case INFO_FAST_F16:
    case INFO_COOPERATIVE: *(bool *)value = true; return HSA_STATUS_SUCCESS;
    case INFO_UUID: snprintf(value, 21, "GPU-%016x", device + 1); return HSA_STATUS_SUCCESS;
    case INFO_TIMESTAMP_FREQUENCY: *(uint64_t *)value = 100000000; return HSA_STATUS_SUCCESS;
    case INFO_PROPERTIES: memset(value, 0, 8); return HSA_STATUS_SUCCESS; /* no APU */
    }
    for (size_t i = 0; i < sizeof NUMBERS / sizeof *NUMBERS; i++)
        if (NUMBERS[i].attribute == attribute) return *number = NUMBERS[i].value, HSA_STATUS_SUCCESS;
    return HSA_STATUS_ERROR_INVALID_ARGUMENT;
}

static hsa_status_t cpu_info(uint32_t attribute, void *value) {
    switch (attribute) {
    case INFO_NAME:
    case INFO_VENDOR:
    case INFO_PRODUCT: strcpy(value, "CPU"); return HSA_STATUS_SUCCESS;
    case 2:
    case 16:
    case 17: *(uint32_t *)value = 0; return HSA_STATUS_SUCCESS;
    }
    return HSA_STATUS_ERROR_INVALID_ARGUMENT;
}

EXPORT hsa_status_t hsa_agent_get_info(Handle agent, uint32_t attribute, void *value) {
    int device = device_of(agent);
    if (device < 0 && agent.handle != CPU_AGENT) return HSA_STATUS_ERROR_INVALID_AGENT;
    return device < 0 ? cpu_info(attribute, value) : gpu_info(device, attribute, value);
}

/* ISAs: a chip's own, and its family's; the handle is the agent's, with a bit for the family. */

static const uint64_t FAMILY = 256;

static void isa_name(Handle isa, char *name, size_t size) {
    const Chip *chip = chip_of(device_of((Handle){isa.handle & (FAMILY - 1)}));
    const char *which = isa.handle & FAMILY ? chip->generic : chip->name;
    snprintf(name, size, "amdgcn-amd-amdhsa--%s%s", which, chip->features);
}

EXPORT hsa_status_t hsa_agent_iterate_isas(Handle agent, IsaVisitor *visit, void *data) {
    int device = device_of(agent);
    if (device < 0) return HSA_STATUS_ERROR_INVALID_AGENT;
    hsa_status_t status = visit(agent, data);
    if (!status && chip_of(device)->generic) status = visit((Handle){agent.handle | FAMILY}, data);
    return status;
}

EXPORT hsa_status_t hsa_isa_get_info_alt(Handle isa, uint32_t attribute, void *value) {
    char name[64];
    isa_name(isa, name, sizeof name);
    if (attribute == 0) *(uint32_t *)value = (uint32_t)strlen(name) + 1;
    else strcpy(value, name);
    return HSA_STATUS_SUCCESS;
}

/* Memory pools ----------------------------------------------------------------------------------------------------- */

enum { FINE = 2, COARSE = 4, KERNARG = 1, SEGMENT_GLOBAL = 0, SEGMENT_GROUP = 3 };

typedef struct {
    const char *what; /* in the log */
    bool of_gpu;
    uint32_t segment, flags;
} Pool;

/* A handle is the place in this table, with the agent above it. */
static const Pool POOLS[] = {
    {"alloc-pinned", false, SEGMENT_GLOBAL, FINE}, {"alloc-args", false, SEGMENT_GLOBAL, FINE | KERNARG},
    {"alloc-host", false, SEGMENT_GLOBAL, COARSE}, {"alloc", true, SEGMENT_GLOBAL, COARSE},
    {"alloc-group", true, SEGMENT_GROUP, 0},
};

static const Pool *pool_of(Handle pool) { return &POOLS[pool.handle & 255]; }
static Handle agent_of(Handle pool) { return (Handle){pool.handle >> 8}; }

EXPORT hsa_status_t hsa_amd_agent_iterate_memory_pools(Handle agent, PoolVisitor *visit, void *data) {
    bool gpu = device_of(agent) >= 0;
    if (!gpu && agent.handle != CPU_AGENT) return HSA_STATUS_ERROR_INVALID_AGENT;
    for (uint64_t i = 0; i < sizeof POOLS / sizeof *POOLS; i++) {
        if (POOLS[i].of_gpu != gpu) continue;
        hsa_status_t status = visit((Handle){agent.handle << 8 | i}, data);
        if (status) return status;
    }
    return HSA_STATUS_SUCCESS;
}

EXPORT hsa_status_t hsa_amd_memory_pool_get_info(Handle pool, uint32_t attribute, void *value) {
    const Pool *p = pool_of(pool);
    switch (attribute) {
    case 0: *(uint32_t *)value = p->segment; break;
    case 1: *(uint32_t *)value = p->flags; break;
    case 2: *(size_t *)value = p->segment == SEGMENT_GROUP ? GROUP_MEMORY : mock_memory_bytes(); break;
    case 5: *(bool *)value = p->segment == SEGMENT_GLOBAL; break; /* may be allocated from */
    case 6:
    case 7: *(size_t *)value = 4096; break;      /* granule, alignment */
    case 15: *(bool *)value = !p->of_gpu; break; /* accessible by all */
    default: return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    }
    return HSA_STATUS_SUCCESS;
}

/* 0 never, 1 allowed, 2 not until somebody asks for it */
EXPORT hsa_status_t hsa_amd_agent_memory_pool_get_info(Handle agent, Handle pool, uint32_t attribute, void *value) {
    if (attribute != 0) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    const Pool *p = pool_of(pool);
    *(uint32_t *)value = p->segment == SEGMENT_GROUP ? 0 : agent_of(pool).handle == agent.handle ? 1 : 2;
    return HSA_STATUS_SUCCESS;
}

EXPORT hsa_status_t hsa_amd_memory_pool_allocate(Handle pool, size_t n_bytes, uint32_t flags, void **p) {
    const Pool *from = pool_of(pool);
    int device = device_of(agent_of(pool));
    (void)flags;
    *p = NULL;
    if (!n_bytes || from->segment != SEGMENT_GLOBAL) return HSA_STATUS_ERROR_INVALID_ALLOCATION;
    if (!mock_fails("alloc"))
        *p = from->of_gpu ? (void *)mock_allocate(device, n_bytes)
                          : aligned_alloc(4096, (n_bytes + 4095) & ~(size_t)4095);
    if (!*p) return refuse(HSA_STATUS_ERROR_OUT_OF_RESOURCES, "%s of %zu bytes", from->what, n_bytes);
    if (from->of_gpu) mock_log("alloc %d %s %zu", device, mock_show((uint64_t)*p), n_bytes);
    else mock_log("%s %zu", from->what, n_bytes);
    return HSA_STATUS_SUCCESS;
}

EXPORT hsa_status_t hsa_amd_memory_pool_free(void *p) {
    if (!mock_is_device_address((uint64_t)p)) return free(p), HSA_STATUS_SUCCESS;
    const MockAllocation *a = mock_find((uint64_t)p, 0);
    int device = a ? a->device : -1;
    const char *shown = mock_show((uint64_t)p);
    if (!mock_release((uint64_t)p)) return refuse(HSA_STATUS_ERROR_INVALID_ALLOCATION, "free of %s", shown);
    mock_log("free %d %s", device, shown);
    return HSA_STATUS_SUCCESS;
}

EXPORT hsa_status_t hsa_amd_agents_allow_access(uint32_t n, const Handle *agents, const uint32_t *flags,
                                                const void *p) {
    (void)n, (void)agents, (void)flags, (void)p;
    return HSA_STATUS_SUCCESS;
}

EXPORT hsa_status_t hsa_amd_memory_lock(void *p, size_t n_bytes, Handle *agents, int n_agents, void **seen) {
    (void)agents, (void)n_agents;
    if (mock_is_device_address((uint64_t)p))
        return refuse(HSA_STATUS_ERROR_INVALID_ARGUMENT, "pin of a device's memory");
    mock_log("pin %zu", n_bytes);
    *seen = p;
    return HSA_STATUS_SUCCESS;
}

EXPORT hsa_status_t hsa_amd_memory_unlock(void *p) {
    (void)p;
    mock_log("unpin");
    return HSA_STATUS_SUCCESS;
}

typedef struct {
    uint32_t size, type; /* 0 unknown, 1 from a pool */
    void *agent_base, *host_base;
    size_t n_bytes;
} PointerInfo;

EXPORT hsa_status_t hsa_amd_pointer_info(const void *p, PointerInfo *info, void *(*allocate)(size_t),
                                         uint32_t *n_agents, Handle **agents) {
    (void)allocate, (void)n_agents, (void)agents;
    const MockAllocation *a = mock_find((uint64_t)p, 0);
    info->type = a != NULL;
    info->agent_base = info->host_base = a ? (void *)a->address : NULL;
    info->n_bytes = a ? a->n_bytes : 0;
    return HSA_STATUS_SUCCESS;
}

EXPORT hsa_status_t hsa_amd_register_system_event_handler(hsa_status_t (*handler)(const void *, void *), void *data) {
    (void)handler, (void)data;
    return HSA_STATUS_SUCCESS;
}

/* Executables ------------------------------------------------------------------------------------------------------ */

typedef struct {
    const void *bytes;
    size_t n_bytes;
} Reader;

typedef struct {
    MockImage *image;
    int number, device;
} Executable;

/* A symbol is a kernel or a global. */
typedef struct Symbol {
    const MockKernel *kernel;
    const MockGlobal *global;
} Symbol;

EXPORT hsa_status_t hsa_code_object_reader_create_from_memory(const void *bytes, size_t n_bytes, Handle *reader) {
    Reader *r = malloc(sizeof *r);
    *r = (Reader){bytes, n_bytes};
    reader->handle = (uint64_t)r;
    return HSA_STATUS_SUCCESS;
}

EXPORT hsa_status_t hsa_code_object_reader_destroy(Handle reader) {
    free((void *)reader.handle);
    return HSA_STATUS_SUCCESS;
}

EXPORT hsa_status_t hsa_executable_create_alt(uint32_t profile, uint32_t rounding, const char *options,
                                              Handle *executable) {
    (void)profile, (void)rounding, (void)options;
    executable->handle = (uint64_t)calloc(1, sizeof(Executable));
    return HSA_STATUS_SUCCESS;
}

EXPORT hsa_status_t hsa_executable_create(uint32_t profile, uint32_t state, const char *options, Handle *executable) {
    return hsa_executable_create_alt(profile, state, options, executable);
}

static hsa_status_t place_globals(Executable *e) {
    for (int i = 0; i < e->image->n_globals; i++) {
        MockGlobal *g = &e->image->globals[i];
        if (!g->n_bytes) continue;
        g->address = mock_allocate(e->device, g->n_bytes);
        if (!g->address) return refuse(HSA_STATUS_ERROR_OUT_OF_RESOURCES, "load: no memory for %s", g->name);
        memset(mock_view(g->address), 0, g->n_bytes);
        if (g->initial) memcpy(mock_view(g->address), g->initial, g->n_bytes);
        mock_log("global m%d %s %s %zu", e->number, g->name, mock_show(g->address), (size_t)g->n_bytes);
    }
    return HSA_STATUS_SUCCESS;
}

static bool runs_on(const MockImage *image, const Chip *chip) {
    return !strcmp(image->arch, chip->name) || (chip->generic && !strcmp(image->arch, chip->generic));
}

EXPORT hsa_status_t hsa_executable_load_agent_code_object(Handle executable, Handle agent, Handle reader,
                                                          const char *options, Handle *loaded) {
    static _Atomic int n_modules;
    Executable *e = (Executable *)executable.handle;
    const Reader *r = (const Reader *)reader.handle;
    (void)options;
    e->device = device_of(agent);
    if (e->device < 0) return HSA_STATUS_ERROR_INVALID_AGENT;
    const char *why;
    e->image = mock_read_hsaco(r->bytes, r->n_bytes, &why);
    if (!e->image) return refuse(HSA_STATUS_ERROR_INVALID_CODE_OBJECT, "load %d: %s", e->device, why);
    if (!runs_on(e->image, chip_of(e->device)) || mock_fails("load"))
        return refuse(HSA_STATUS_ERROR_INVALID_CODE_OBJECT, "load %d: %s on %s", e->device, e->image->arch,
                      chip_of(e->device)->name);
    e->number = mock_number(&n_modules);
    mock_log("load %d m%d %s", e->device, e->number, e->image->arch);
    mock_log_image(e->image, e->number);
    if (loaded) loaded->handle = executable.handle;
    return place_globals(e);
}

EXPORT hsa_status_t hsa_executable_freeze(Handle executable, const char *options) {
    (void)executable, (void)options;
    return HSA_STATUS_SUCCESS;
}

EXPORT hsa_status_t hsa_executable_validate(Handle executable, uint32_t *result) {
    *result = ((Executable *)executable.handle)->image == NULL;
    return HSA_STATUS_SUCCESS;
}

EXPORT hsa_status_t hsa_executable_destroy(Handle executable) {
    Executable *e = (Executable *)executable.handle;
    if (e->image) mock_log("unload %d m%d", e->device, e->number);
    for (int i = 0; e->image && i < e->image->n_globals; i++)
        if (e->image->globals[i].address) mock_release(e->image->globals[i].address);
    mock_free_image(e->image);
    free(e);
    return HSA_STATUS_SUCCESS;
}

/* Kernels are asked for as NAME.kd. Symbols live as long as the program. */
static hsa_status_t find_symbol(Executable *e, const char *name, Handle *symbol) {
    char kernel[MOCK_NAME];
    size_t n = strlen(name);
    snprintf(kernel, sizeof kernel, "%.*s", n > 3 && !strcmp(name + n - 3, ".kd") ? (int)n - 3 : 0, name);
    Symbol found = {.kernel = mock_find_kernel(e->image, kernel), .global = mock_find_global(e->image, name)};
    if (!found.kernel && !found.global) return HSA_STATUS_ERROR_INVALID_SYMBOL_NAME;
    Symbol *s = malloc(sizeof *s);
    *s = found;
    symbol->handle = (uint64_t)s;
    return HSA_STATUS_SUCCESS;
}

EXPORT hsa_status_t hsa_executable_get_symbol_by_name(Handle executable, const char *name, const Handle *agent,
                                                      Handle *symbol) {
    (void)agent;
    Executable *e = (Executable *)executable.handle;
    return e->image ? find_symbol(e, name, symbol) : HSA_STATUS_ERROR_INVALID_SYMBOL_NAME;
}

EXPORT hsa_status_t hsa_executable_iterate_symbols(Handle executable,
                                                   hsa_status_t (*visit)(Handle executable, Handle symbol, void *data),
                                                   void *data) {
    Executable *e = (Executable *)executable.handle;
    for (int i = 0; e->image && i < e->image->n_kernels; i++) {
        char name[MOCK_NAME + 4];
        Handle symbol;
        snprintf(name, sizeof name, "%s.kd", e->image->kernels[i].name);
        hsa_status_t status = find_symbol(e, name, &symbol);
        if (!status) status = visit(executable, symbol, data);
        if (status) return status;
    }
    return HSA_STATUS_SUCCESS;
}

/* hsa_executable_symbol_info_t */
enum {
    SYMBOL_TYPE = 0,
    SYMBOL_NAME_LENGTH = 1,
    SYMBOL_NAME = 2,
    SYMBOL_GLOBAL_BYTES = 9,
    SYMBOL_ARG_BYTES = 11,
    SYMBOL_GROUP_BYTES = 13,
    SYMBOL_PRIVATE_BYTES = 14,
    SYMBOL_DYNAMIC_STACK = 15,
    SYMBOL_GLOBAL_ADDRESS = 21,
    SYMBOL_KERNEL_OBJECT = 22,
};

static hsa_status_t kernel_info(const MockKernel *k, uint32_t attribute, void *value) {
    uint32_t *number = value;
    switch (attribute) {
    case SYMBOL_TYPE: *number = 1; break;
    case SYMBOL_NAME_LENGTH: *number = (uint32_t)strlen(k->name) + 3; break;
    case SYMBOL_NAME: sprintf(value, "%s.kd", k->name); break;
    case SYMBOL_KERNEL_OBJECT: *(uint64_t *)value = (uint64_t)k; break;
    case SYMBOL_ARG_BYTES: *number = k->param_bytes; break;
    case SYMBOL_GROUP_BYTES: *number = k->shared_bytes; break;
    case SYMBOL_PRIVATE_BYTES: *number = k->private_bytes; break;
    case SYMBOL_DYNAMIC_STACK: *(bool *)value = false; break;
    default: return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    }
    return HSA_STATUS_SUCCESS;
}

static hsa_status_t global_info(const MockGlobal *g, uint32_t attribute, void *value) {
    uint32_t *number = value;
    switch (attribute) {
    case SYMBOL_TYPE: *number = 0; break;
    case SYMBOL_NAME_LENGTH: *number = (uint32_t)strlen(g->name); break;
    case SYMBOL_NAME: strcpy(value, g->name); break;
    case SYMBOL_GLOBAL_ADDRESS: *(uint64_t *)value = g->address; break;
    case SYMBOL_GLOBAL_BYTES: *number = (uint32_t)g->n_bytes; break;
    default: return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    }
    return HSA_STATUS_SUCCESS;
}

EXPORT hsa_status_t hsa_executable_symbol_get_info(Handle symbol, uint32_t attribute, void *value) {
    const Symbol *s = (const Symbol *)symbol.handle;
    return s->kernel ? kernel_info(s->kernel, attribute, value) : global_info(s->global, attribute, value);
}

/* The way of HSA 1.0 to the same; the plugin asks for these to be there, and does not call them. */

EXPORT hsa_status_t hsa_code_object_deserialize(void *bytes, size_t n_bytes, const char *options, Handle *object) {
    (void)options;
    return hsa_code_object_reader_create_from_memory(bytes, n_bytes, object);
}

EXPORT hsa_status_t hsa_executable_load_code_object(Handle executable, Handle agent, Handle object,
                                                    const char *options) {
    return hsa_executable_load_agent_code_object(executable, agent, object, options, NULL);
}

EXPORT hsa_status_t hsa_code_object_destroy(Handle object) { return hsa_code_object_reader_destroy(object); }
