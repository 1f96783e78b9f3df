/* target.c -- the table of targets. Differences between targets are fields; what needs code is a function pointer. */
#include "irgen/target.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <llvm-c/Support.h>
#include <llvm-c/Target.h>

#include "irgen/cpu/kernel.h"
#include "irgen/gpu/kernel.h"
#include "irgen/irgen.h"
#include "offload/lld.h"

static void x86_init(void) {
    LLVMInitializeX86TargetInfo();
    LLVMInitializeX86Target();
    LLVMInitializeX86TargetMC();
    LLVMInitializeX86AsmPrinter();
}

/* llvm/include/llvm/IR/CallingConv.h */
enum { PTX_KERNEL = 71, AMDGPU_KERNEL = 91 };
enum { MAX_FEATURES = 8192 }; /* bytes of a list of them: LLVM names some 160 of an x86-64 processor */

/* LLVM's vectorisers see registers of two floats from sm_100 on, and waves of 32 items from gfx10 on: other costs,
 * other code. Within a list, --emit=device-llvm prints the same text. */
static const char *const alike_nvidia[] = {"sm_75", "sm_80", "sm_86", "sm_87", "sm_89", "sm_90", NULL};
static const char *const alike_amd[] = {"gfx90a", "gfx942", NULL};

static const Target targets[] = {
    /* The host program. It only declares the kernels: their host versions are in the object of the x86 device. */
    {.name = "host",
     .triple = "x86_64-unknown-linux-gnu",
     .is_program = true,
     .checks = true,
     .atomic_scope = "",
     .fma_feature = "+fma",
     .half_feature = "+f16c",
     .kernel_linkage = LLVMExternalLinkage,
     .kernel_visibility = LLVMHiddenVisibility,
     .kernel_cc = LLVMCCallConv,
     .init = x86_init},
    /* For libomptarget's host plugin: a shared object, whose kernels the plugin finds by dlsym and calls once per
     * launch. Kernels are weak, so that two object files with a kernel of the same name can be linked into one
     * program. */
    {.name = "x86",
     .triple = "x86_64-unknown-linux-gnu",
     .atomic_scope = "",
     .holds_fallback = true,
     .group_is_loop = true,
     .copies_apart = true,
     .fma_feature = "+fma",
     .half_feature = "+f16c",
     .own_math = true,
     .vector = true,
     .kernel_linkage = LLVMWeakAnyLinkage,
     .kernel_visibility = LLVMProtectedVisibility,
     .kernel_cc = LLVMCCallConv,
     .kernel_entry = cpu_kernel_entry,
     .init = x86_init},
    {.name = "nvptx",
     .triple = "nvptx64-nvidia-cuda",
     .default_cpu = "sm_75",
     .alike = alike_nvidia,
     .gpu = &nvptx_gpu,
     .atomic_scope = "device",
     .updates_to_read = true,
     .text_is_image = true,
     .lines_only = true,
     .fma_feature = "",
     .half_feature = "",
     .converts_bf16 = true,
     .one_nan = true,
     .own_math = true,
     .kernel_linkage = LLVMExternalLinkage,
     .kernel_visibility = LLVMDefaultVisibility,
     .kernel_cc = PTX_KERNEL,
     .kernel_entry = gpu_kernel_entry,
     .init = nvptx_init},
    {.name = "amdgpu",
     .triple = "amdgcn-amd-amdhsa",
     .default_cpu = "gfx90a",
     .alike = alike_amd,
     .gpu = &amdgpu_gpu,
     .atomic_scope = "agent",
     .divides_words = true,
     .splits_byte_products = true,
     .global_space = 1,
     .code_object = 500,
     .fma_feature = "",
     .half_feature = "",
     .own_math = true,
     .kernel_linkage = LLVMExternalLinkage,
     .kernel_visibility = LLVMProtectedVisibility,
     .kernel_cc = AMDGPU_KERNEL,
     .kernel_entry = gpu_kernel_entry,
     .init = amdgpu_init},
};

enum { N_TARGETS = sizeof targets / sizeof *targets };

const Target *target_find(const char *name) {
    for (int i = 0; i < N_TARGETS; i++)
        if (!strcmp(targets[i].name, name)) return &targets[i];
    return NULL;
}

/* Innermost loops are aligned to cache lines: a short loop that crosses a line takes up to a third longer, and whether
 * it does would depend on the size of unrelated code before it.
 *
 * Where a loop of the host, or of an item that is not part of a vector, adds up numbers of floating point, LLVM
 * computes what is added as vectors and adds their elements one after the other, in the order of the source (ordered
 * reductions; LoopVectorize.cpp asks the target otherwise, and X86 says no). */
static void set_llvm_options(void) {
    static const char *const options[] = {"kdslc", "-x86-experimental-pref-innermost-loop-alignment=6",
                                          "-force-ordered-reductions"};
    LLVMParseCommandLineOptions(sizeof options / sizeof *options, options, NULL);
}

static LLVMCodeGenOptLevel codegen_level(int opt_level) {
    static const LLVMCodeGenOptLevel levels[] = {LLVMCodeGenLevelNone, LLVMCodeGenLevelLess, LLVMCodeGenLevelDefault,
                                                 LLVMCodeGenLevelAggressive};
    return levels[opt_level < 0 ? 0 : opt_level > 3 ? 3 : opt_level];
}

/* Registers an LLVM target on first use, because those for GPUs are large. Registration in LLVM is idempotent, but not
 * thread-safe. */
static void need_target(const Target *t) {
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    static bool is_ready[N_TARGETS], is_set;
    pthread_mutex_lock(&lock);
    if (!is_set) set_llvm_options();
    is_set = true;
    for (int i = 0; i < N_TARGETS; i++) {
        if (strcmp(targets[i].triple, t->triple) || is_ready[i]) continue;
        targets[i].init();
        is_ready[i] = true;
    }
    pthread_mutex_unlock(&lock);
}

bool irgen_knows_cpu(const char *march) {
    need_target(target_find("host"));
    return !strcmp(march, "native") || LLVMKdslIsX86_64Cpu(target_find("host")->triple, march);
}

bool irgen_knows_arch(const char *target, const char *cpu) {
    need_target(target_find(target));
    return LLVMKdslIsCpu(target_find(target)->triple, cpu);
}

bool irgen_same_module(const char *target, const char *a, const char *b) {
    bool has_a = false, has_b = false;
    for (const char *const *at = target_find(target)->alike; at && *at; at++) {
        has_a |= !strcmp(*at, a);
        has_b |= !strcmp(*at, b);
    }
    return has_a && has_b;
}

const char *irgen_triple(const char *target) { return target_find(target)->triple; }

const char *irgen_arch_name(const char *target, int i) {
    need_target(target_find(target));
    return LLVMKdslCpuName(target_find(target)->triple, i);
}

static const char *const cpu_levels[] = {"x86-64", "x86-64-v2", "x86-64-v3", "x86-64-v4"};
enum { N_CPU_LEVELS = sizeof cpu_levels / sizeof *cpu_levels };

int irgen_cpu_level(const char *march) {
    for (int i = 0; i < N_CPU_LEVELS; i++)
        if (!strcmp(march, cpu_levels[i])) return i + 1;
    return 0;
}

const char *irgen_cpu_level_name(int level) {
    return level >= 1 && level <= N_CPU_LEVELS ? cpu_levels[level - 1] : NULL;
}

Target target_version(const Target *t) {
    Target version = *t;
    version.holds_fallback = false;
    version.kernel_linkage = LLVMExternalLinkage;
    version.kernel_visibility = LLVMHiddenVisibility;
    return version;
}

/* LLVM tunes x86-64-v4 for its first processors, which slowed down when 512-bit registers were used. Those processors
 * are rare now, and kernels are long loops. */
static const char wide_vectors[] = "-prefer-256-bit";

/* AMD's `extrq` and `insertq` have no VEX encoding, and an instruction of the old encoding that writes a register whose
 * upper half is in use costs up to 110 ns: measured on a virtual machine on Zen 3, where a loop that converts pixels
 * took 14 times as long. LLVM takes them for shuffles of bytes wherever it may. */
static const char no_old_encoding[] = "-sse4a";

static LLVMTargetMachineRef new_machine(const Target *t, const char *march, int opt_level) {
    need_target(t);
    LLVMTargetRef target;
    char *error = NULL;
    if (LLVMGetTargetFromTriple(t->triple, &target, &error)) {
        LLVMDisposeMessage(error);
        return NULL;
    }
    bool native = !march || !strcmp(march, "native");
    char *cpu = native && !t->default_cpu ? LLVMGetHostCPUName() : NULL;
    char *features = cpu ? LLVMGetHostCPUFeatures() : NULL;
    const char *name = cpu ? cpu : native ? t->default_cpu : march;
    const char *wanted = features ? features : name && !strcmp(name, "x86-64-v4") ? wide_vectors : "";
    char all[MAX_FEATURES];
    bool is_x86 = !strncmp(t->triple, "x86_64", 6);
    if (is_x86 && (size_t)snprintf(all, sizeof all, "%s%s%s", wanted, *wanted ? "," : "", no_old_encoding) < sizeof all)
        wanted = all;
    LLVMTargetMachineRef m = LLVMCreateTargetMachine(target, t->triple, name, wanted, codegen_level(opt_level),
                                                     LLVMRelocPIC, LLVMCodeModelDefault);
    if (cpu) LLVMDisposeMessage(cpu);
    if (features) LLVMDisposeMessage(features);
    return m;
}

/* Machines of this thread ------------------------------------------------------------------------------------------ */

/* A machine, and the tables of each subtarget that it has met, take LLVM a millisecond to make: they are kept for the
 * next module that this thread compiles. LLVM's machines are for one thread at a time. */
typedef struct Machine {
    const char *triple;
    char *march;
    int opt_level;
    LLVMTargetMachineRef machine;
    struct Machine *next;
} Machine;

static pthread_key_t machines;

static void dispose_machines(void *list) {
    for (Machine *m = list, *next; m; m = next) {
        next = m->next;
        LLVMDisposeTargetMachine(m->machine);
        free(m->march);
        free(m);
    }
}

static void make_key(void) { pthread_key_create(&machines, dispose_machines); }

LLVMTargetMachineRef target_machine(const Target *t, const char *march, int opt_level) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, make_key);
    if (!march) march = "native";
    for (Machine *m = pthread_getspecific(machines); m; m = m->next)
        if (m->opt_level == opt_level && !strcmp(m->triple, t->triple) && !strcmp(m->march, march)) return m->machine;
    Machine *m = malloc(sizeof *m);
    char *copy = strdup(march);
    LLVMTargetMachineRef machine = m && copy ? new_machine(t, march, opt_level) : NULL;
    if (!machine) {
        free(copy);
        free(m);
        return NULL;
    }
    *m = (Machine){t->triple, copy, opt_level, machine, pthread_getspecific(machines)};
    pthread_setspecific(machines, m);
    return machine;
}

bool target_has_fma(const Target *t, LLVMTargetMachineRef machine) {
    return !*t->fma_feature || LLVMKdslHasFeature(machine, t->fma_feature);
}

bool target_has_half(const Target *t, LLVMTargetMachineRef machine) {
    return !*t->half_feature || LLVMKdslHasFeature(machine, t->half_feature);
}

bool irgen_host_fuses(const char *march) {
    LLVMTargetMachineRef machine = new_machine(target_find("host"), march, 0);
    bool has_fma = target_has_fma(target_find("host"), machine);
    LLVMDisposeTargetMachine(machine);
    return has_fma;
}
