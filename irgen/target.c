/* target.c -- the table of targets. A field says what differs; a hook does what cannot be said. */
#include "irgen/target.h"

#include <pthread.h>
#include <string.h>

#include <llvm-c/Support.h>
#include <llvm-c/Target.h>

#include "irgen/cg.h"
#include "irgen/irgen.h"
#include "offload/lld.h"

static void x86_init(void) {
    LLVMInitializeX86TargetInfo();
    LLVMInitializeX86Target();
    LLVMInitializeX86TargetMC();
    LLVMInitializeX86AsmPrinter();
}

static const Target targets[] = {
    /* The program itself. Of its kernels it has declarations only: the host versions come from the x86 device's object. */
    {.name = "host", .triple = "x86_64-unknown-linux-gnu", .is_program = true, .checks = true,
     .atomic_scope = "",
     .kernel_linkage = LLVMExternalLinkage, .kernel_visibility = LLVMHiddenVisibility, .kernel_cc = LLVMCCallConv,
     .init = x86_init},
    /* libomptarget's host plugin: a shared object whose kernels are found by dlsym and called once per launch. Weak, so
     * that two object files that both have a kernel of this name can be linked into one program. */
    {.name = "x86", .triple = "x86_64-unknown-linux-gnu", .atomic_scope = "", .holds_fallback = true,
     .group_is_loop = true, .copies_apart = true, .math_feature = "+fma", .vector = true,
     .kernel_linkage = LLVMWeakAnyLinkage, .kernel_visibility = LLVMProtectedVisibility,
     .kernel_cc = LLVMCCallConv, .kernel_entry = cpu_kernel_entry, .init = x86_init},
};

enum { N_TARGETS = sizeof targets / sizeof *targets };

const Target *target_find(const char *name) {
    for (int i = 0; i < N_TARGETS; i++)
        if (!strcmp(targets[i].name, name)) return &targets[i];
    return NULL;
}

/* Innermost loops begin at a cache line: one whose few instructions lie across two lines takes up to a third longer, and
 * whether it does would depend on whatever code stands before it. */
static void set_loop_alignment(void) {
    static const char *const options[] = {"kdslc", "-x86-experimental-pref-innermost-loop-alignment=6"};
    LLVMParseCommandLineOptions(2, options, NULL);
}

static void init_all(void) {
    set_loop_alignment();
    for (int i = 0; i < N_TARGETS; i++) targets[i].init(); /* LLVM does not mind a second time */
}

static LLVMCodeGenOptLevel codegen_level(int opt_level) {
    static const LLVMCodeGenOptLevel levels[] = {LLVMCodeGenLevelNone, LLVMCodeGenLevelLess, LLVMCodeGenLevelDefault,
                                                 LLVMCodeGenLevelAggressive};
    return levels[opt_level < 0 ? 0 : opt_level > 3 ? 3 : opt_level];
}

static void need_targets(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, init_all);
}

bool irgen_knows_cpu(const char *march) {
    need_targets();
    return !strcmp(march, "native") || LLVMKdslIsX86_64Cpu(target_find("host")->triple, march);
}

static const char *const cpu_levels[] = {"x86-64", "x86-64-v2", "x86-64-v3", "x86-64-v4"};
enum { N_CPU_LEVELS = sizeof cpu_levels / sizeof *cpu_levels };

int irgen_cpu_level(const char *march) {
    for (int i = 0; i < N_CPU_LEVELS; i++)
        if (!strcmp(march, cpu_levels[i])) return i + 1;
    return 0;
}

const char *irgen_cpu_level_name(int level) { return level >= 1 && level <= N_CPU_LEVELS ? cpu_levels[level - 1] : NULL; }

Target target_version(const Target *t) {
    Target version = *t;
    version.holds_fallback = false;
    version.kernel_linkage = LLVMExternalLinkage;
    version.kernel_visibility = LLVMHiddenVisibility;
    return version;
}

/* LLVM tunes the level for its first processors, which ran slower with their widest registers in use. Kernels are long
 * loops, and those processors are gone. */
static const char wide_vectors[] = "-prefer-256-bit";

LLVMTargetMachineRef target_machine(const Target *t, const char *march, int opt_level) {
    need_targets();
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
    LLVMTargetMachineRef m = LLVMCreateTargetMachine(target, t->triple, name, wanted,
                                                     codegen_level(opt_level), LLVMRelocPIC, LLVMCodeModelDefault);
    if (cpu) LLVMDisposeMessage(cpu);
    if (features) LLVMDisposeMessage(features);
    return m;
}
