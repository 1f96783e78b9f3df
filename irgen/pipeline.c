/* pipeline.c -- the compilation of one module: code generation, verification, optimisation (pass.def), emission of the
 * object. Implements irgen.h. Each call has its own LLVM context, arena and source map, so that calls can run in
 * parallel. */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <llvm-c/Analysis.h>
#include <llvm-c/IRReader.h>
#include <llvm-c/Transforms/PassBuilder.h>

#include "irgen/advice/rows.h"
#include "irgen/launch/launch.h"
#include "irgen/passes/barriers.h"
#include "irgen/passes/clone.h"
#include "irgen/passes/passes.h"
#include "irgen/simd/module.h"
#include "irgen/version.h"

/* CPU time of this thread, in seconds, since other threads may compile other modules. */
static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* An empty module -------------------------------------------------------------------------------------------------- */

/* Copies the source map, because looking up a line and column fills the map's line tables, which threads must not
 * share. */
static void copy_sources(Cg *cg) {
    const Program *p = cg->program;
    for (int i = 0; i < p->c->sources.files.n; i++) {
        const Source *s = p->c->sources.files.at[i];
        Source *own = source_add(&cg->c->sources, s->path, s->text, s->n);
        if (!own) ice(cg->c, (Span){0}, "the sources do not fit twice");
        if (s == p->module->source) cg->base_shift = own->base - s->base;
    }
}

/* A module that was read from text may have the flag. */
static void module_flag(Cg *cg, const char *name, int v) {
    if (LLVMGetModuleFlag(cg->module, name, strlen(name))) return;
    LLVMAddModuleFlag(cg->module, LLVMModuleFlagBehaviorOverride, name, strlen(name),
                      LLVMValueAsMetadata(cg_i32(cg, v)));
}

static void set_target(Cg *cg) {
    cg->machine = target_machine(cg->target, cg->options->march, cg->options->opt_level);
    if (!cg->machine) ice(cg->c, (Span){0}, "LLVM has no code generator for %s", cg->target->triple);
    cg->has_fma = target_has_fma(cg->target, cg->machine);
    cg->has_half = target_has_half(cg->target, cg->machine);
    LLVMTargetDataRef layout = LLVMCreateTargetDataLayout(cg->machine);
    LLVMSetModuleDataLayout(cg->module, layout);
    LLVMDisposeTargetData(layout);
    LLVMSetTarget(cg->module, cg->target->triple);
    if (!cg->target->gpu) module_flag(cg, "PIC Level", 2);
    if (cg->target->code_object) module_flag(cg, "amdhsa_code_object_version", cg->target->code_object);
    if (cg->target->is_program) module_flag(cg, "PIE Level", 2);
}

/* Records errors of a back end; LLVM's own handler would print them and end the process. */
static void on_diagnostic(LLVMDiagnosticInfoRef info, void *context) {
    Cg *cg = context;
    if (LLVMGetDiagInfoSeverity(info) != LLVMDSError || cg->refused) return;
    char *text = LLVMGetDiagInfoDescription(info);
    cg->refused = arena_strndup(&cg->c->arena, text, strlen(text));
    LLVMDisposeMessage(text);
}

static void begin_context(Cg *cg, Compiler *own, const IrOptions *o, const Target *t) {
    *cg = (Cg){.options = o, .target = t, .c = own, .launches = &cg_launches};
    compiler_init(own);
    cg->vector = t->vector && o->opt_level > 0 && !o->scalar;
    cg->ctx = LLVMContextCreate();
    LLVMContextSetDiagnosticHandler(cg->ctx, on_diagnostic, cg);
    cg->b = LLVMCreateBuilderInContext(cg->ctx);
    cg_types_init(cg);
}

static void begin(Cg *cg, Compiler *own, const Program *p, const IrOptions *o, const Target *t) {
    begin_context(cg, own, o, t);
    cg->program = p;
    copy_sources(cg);
    const char *path = p->module->source->path;
    cg->module = LLVMModuleCreateWithNameInContext(path, cg->ctx);
    LLVMSetSourceFileName(cg->module, path, strlen(path));
    set_target(cg);
    cg_debug_begin(cg);
}

static void end(Cg *cg) {
    LLVMDisposeBuilder(cg->b);
    LLVMDisposeModule(cg->module);
    LLVMContextDispose(cg->ctx);
    compiler_free(cg->c);
}

/* Stages ----------------------------------------------------------------------------------------------------------- */

/* after: name of the last pass, for the message. */
static void verify(Cg *cg, const char *after) {
    char *error = NULL;
    if (!LLVMVerifyModule(cg->module, LLVMReturnStatusAction, &error)) {
        LLVMDisposeMessage(error);
        return;
    }
    char *text = LLVMPrintModuleToString(cg->module);
    ice(cg->c, (Span){0}, "the module for %s is not valid after %s: %s\n%s", cg->target->name, after, error, text);
}

static void run_passes(Cg *cg, const char *passes) {
    LLVMPassBuilderOptionsRef options = LLVMCreatePassBuilderOptions();
    LLVMErrorRef error = LLVMRunPasses(cg->module, passes, cg->machine, options);
    LLVMDisposePassBuilderOptions(options);
    if (error) ice(cg->c, (Span){0}, "LLVM refuses its own pipeline %s: %s", passes, LLVMGetErrorMessage(error));
}

/* Items of a group that reach different barriers, or some that reach none, are wrong results or a program that never
 * ends. The language keeps programs from it, lang/segment.c writes marks that keep LLVM from it, and here is looked at
 * what LLVM has made: with loops that share a header joined into one, as back ends do before anything else. */
static void check_barriers(Cg *cg) {
    run_passes(cg, "function(loop-simplify)");
    char *where = LLVMKdslDivergentBarrier(cg->module);
    if (where)
        ice(cg->c, (Span){0}, "a barrier that only some items of a group may reach: %s, for %s", where,
            cg->target->name);
}

/* The passes ------------------------------------------------------------------------------------------------------- */

typedef enum PassId {
#define PASS(id, ...) PASS_##id,
#include "irgen/pass.def"
#undef PASS
    PASS__COUNT
} PassId;

/* READ: of --run-pass alone. */
typedef enum PassModules { PASS_IN_ALL, PASS_IN_VECTOR, PASS_IN_GPU, PASS_IN_READ } PassModules;

typedef struct Pass {
    const char *name;
    void (*run)(Cg *cg);
    PassModules modules;
    const char *what;
} Pass;

static const Pass passes[] = {
#define PASS(id, name, function, modules, what) {name, function, PASS_IN_##modules, what},
#include "irgen/pass.def"
#undef PASS
};

static bool takes(const Cg *cg, const Pass *pass) {
    switch (pass->modules) {
    case PASS_IN_ALL: return true;
    case PASS_IN_VECTOR: return cg->vector;
    case PASS_IN_GPU: return cg->target->gpu;
    case PASS_IN_READ: return !cg->program && cg->vector;
    }
    return false;
}

static const Pass *pass_named(const char *name) {
    for (int id = 0; id < PASS__COUNT; id++)
        if (!strcmp(passes[id].name, name)) return &passes[id];
    return NULL;
}

bool irgen_has_pass(const char *name) { return pass_named(name) != NULL; }

static void run_one(Cg *cg, const Pass *pass) {
    if (cg->options->print_before && pass >= pass_named(cg->options->print_before)) return;
    if (!takes(cg, pass)) return;
    pass->run(cg);
    if (cg->options->verify_each) verify(cg, pass->name);
}

/* Runs the passes first..last, both inclusive. */
static void run_from_to(Cg *cg, PassId first, PassId last) {
    for (int id = (int)first; id <= (int)last; id++) run_one(cg, &passes[id]);
}

/* Emission --------------------------------------------------------------------------------------------------------- */

static char *copy_text(char *llvm_text) {
    char *text = strdup(llvm_text);
    LLVMDisposeMessage(llvm_text);
    return text;
}

static LLVMMemoryBufferRef emit(Cg *cg, LLVMModuleRef m, LLVMCodeGenFileType type) {
    LLVMMemoryBufferRef out;
    char *error = NULL;
    bool failed = LLVMTargetMachineEmitToMemoryBuffer(cg->machine, m, type, &error, &out);
    if (failed || cg->refused)
        ice(cg->c, (Span){0}, "LLVM cannot emit code for %s: %s", cg->target->name, failed ? error : cg->refused);
    return out;
}

/* Emission changes the module, so the assembly is emitted from a copy. */
static void emit_asm(Cg *cg, IrResult *r) {
    LLVMModuleRef copy = LLVMCloneModule(cg->module);
    LLVMMemoryBufferRef out = emit(cg, copy, LLVMAssemblyFile);
    r->assembly = strndup(LLVMGetBufferStart(out), LLVMGetBufferSize(out));
    LLVMDisposeMemoryBuffer(out);
    LLVMDisposeModule(copy);
}

/* For call chains that perf and debuggers find without debug information: kernels keep no frame pointers. */
static void add_unwind_tables(Cg *cg) {
    enum { ASYNCHRONOUS = 2 };
    unsigned kind = LLVMGetEnumAttributeKindForName("uwtable", strlen("uwtable"));
    LLVMAttributeRef table = LLVMCreateEnumAttribute(cg->ctx, kind, ASYNCHRONOUS);
    for (LLVMValueRef f = LLVMGetFirstFunction(cg->module); f; f = LLVMGetNextFunction(f))
        if (!LLVMIsDeclaration(f)) LLVMAddAttributeAtIndex(f, (LLVMAttributeIndex)LLVMAttributeFunctionIndex, table);
}

static void keep_object(Cg *cg, LLVMMemoryBufferRef out, IrResult *r) {
    r->object.n = LLVMGetBufferSize(out);
    r->object.at = malloc(r->object.n + 1);
    if (!r->object.at) ice(cg->c, (Span){0}, "out of memory");
    memcpy(r->object.at, LLVMGetBufferStart(out), r->object.n);
    LLVMDisposeMemoryBuffer(out);
}

static void emit_object(Cg *cg, IrResult *r) {
    if (!cg->target->gpu && !cg->options->unit) add_unwind_tables(cg);
    keep_object(cg, emit(cg, cg->module, cg->target->text_is_image ? LLVMAssemblyFile : LLVMObjectFile), r);
}

static double lap(double *from) {
    double t = now(), d = t - *from;
    *from = t;
    return d;
}

static void explain_vector(Cg *cg, IrResult *r) {
    cg->vector_notes = r->vector = calloc(1, sizeof *r->vector);
    if (!r->vector) ice(cg->c, (Span){0}, "out of memory");
    run_from_to(cg, PASS_BOUND_INLINING + 1, PASS_VECTORIZE);
}

static void finish(Cg *cg, IrResult *r, double t) {
    const IrOptions *o = cg->options;
    cg_debug_end(cg);
    cg_fast_end(cg);
    cg_math_end(cg);
    run_from_to(cg, PASS_BOUND_INLINING, PASS_BOUND_INLINING);
    if (o->explain_vector) {
        explain_vector(cg, r);
        return;
    }
    r->times.build = lap(&t);
    verify(cg, "being made");
    r->times.verify = lap(&t);
    run_from_to(cg, PASS_BOUND_INLINING + 1, PASS_BOUND_OPTIMIZING - 1);
    verify(cg, "vectorisation");
    r->times.vectorize = lap(&t);
    run_from_to(cg, PASS_BOUND_OPTIMIZING, PASS__COUNT - 1);
    if (o->want_text) r->text = copy_text(LLVMPrintModuleToString(cg->module));
    r->times.optimize = lap(&t);
    if (o->want_asm) emit_asm(cg, r);
    if (o->want_module) keep_object(cg, LLVMKdslWriteModule(cg->module), r);
    else if (!o->want_asm && !o->want_text) emit_object(cg, r);
    r->times.codegen = lap(&t);
}

/* Host and device modules ------------------------------------------------------------------------------------------ */

int irgen_entries(Compiler *c, const Func *kernel, const IrOptions *o, const char *names[MOST_ENTRIES]) {
    int n = 0;
    names[n++] = off_kernel_symbol(c, kernel->symbol);
    if (o->gpu) names[n++] = off_narrow_symbol(c, kernel->symbol);
    return n;
}

static void define_regions(Cg *cg, const Func *kernel) {
    const char *names[MOST_ENTRIES];
    int n = irgen_entries(cg->c, kernel, cg->options, names);
    for (int i = 0; i < n; i++) off_define_region(cg->off, names[i]);
}

bool irgen_host(const Program *p, const IrOptions *o, IrResult *r) {
    double t = now();
    Cg cg;
    Compiler own;
    *r = (IrResult){0};
    begin(&cg, &own, p, o, target_find("host"));
    cg.off = off_module_new(cg.c, cg.module);
    if (o->unit) off_be_unit(cg.off);
    off_set_memory(cg.off, o->memory, o->transfers_each);
    for (int i = 0; i < p->funcs.n; i++) {
        const Func *fn = p->funcs.at[i];
        if (!fn->is_kernel && !fn->is_extern && fn->on_host && !fn->is_made) cg_host_function(&cg, fn);
        if (o->unit && fn->is_kernel && !fn->is_made) define_regions(&cg, fn);
    }
    if (p->runs_tests) cg_tests(&cg);
    for (int i = 0; i < p->funcs.n; i++)
        if (p->funcs.at[i]->is_export && !o->unit) cg_export(&cg, p->funcs.at[i]);
    if (!o->unit) r->n_kernels = off_module_finish(cg.off, o->n_images, o->has_ptx);
    finish(&cg, r, t);
    off_module_free(cg.off);
    end(&cg);
    return true;
}

/* The kernels of this part of the module: the kernels are divided evenly among the parts. */
typedef struct Kernels {
    const Func **at;
    int n;
} Kernels;

static Kernels kernels_of_part(Cg *cg) {
    const Program *p = cg->program;
    const IrOptions *o = cg->options;
    Kernels all = {arena_array(&cg->c->arena, const Func *, p->funcs.n + 1), 0};
    for (int i = 0; i < p->funcs.n; i++)
        if (p->funcs.at[i]->is_kernel && !p->funcs.at[i]->is_made) all.at[all.n++] = p->funcs.at[i];
    if (o->n_parts < 2) return all;
    int64_t begin = (int64_t)all.n * o->part / o->n_parts, end = (int64_t)all.n * (o->part + 1) / o->n_parts;
    return (Kernels){all.at + begin, (int)(end - begin)};
}

static bool is_device_function(const Func *fn) { return !fn->is_kernel && fn->on_device; }

static LLVMValueRef device_declaration(Cg *cg, const Func *fn, bool narrow) {
    return cg_needs_item(cg, fn) ? cg_item_function(cg, fn, narrow) : cg_function(cg, fn, narrow);
}

static void drop_unused(Cg *cg, const Func *fn, bool narrow) {
    LLVMValueRef v = device_declaration(cg, fn, narrow);
    if (LLVMIsDeclaration(v)) LLVMDeleteFunction(v);
}

/* Emits the functions that the kernels of this part call, directly or not; other parts emit their own. */
static void device_functions(Cg *cg) {
    const Program *p = cg->program;
    for (int i = 0; i < cg->called.n; i++) { /* emitting a function appends its callees */
        CgCalled f = cg->called.at[i];
        CgMode mode = cg_mode_begin(cg, f.shadows, f.fast);
        if (LLVMIsDeclaration(device_declaration(cg, f.func, f.narrow))) cg_device_function(cg, f.func, f.narrow);
        cg_mode_end(cg, mode);
    }
    for (int i = 0; i < p->funcs.n; i++)
        for (int narrow = 0; narrow < 2 && is_device_function(p->funcs.at[i]); narrow++)
            drop_unused(cg, p->funcs.at[i], narrow);
}

bool irgen_device(const Program *p, const char *target, const IrOptions *o, IrResult *r) {
    double t = now();
    Cg cg;
    Compiler own;
    *r = (IrResult){0};
    const Target *whole = target_find(target);
    Target version = target_version(whole);
    begin(&cg, &own, p, o, o->n_levels ? &version : whole);
    for (int i = 0; i < p->funcs.n; i++)
        if (is_device_function(p->funcs.at[i])) device_declaration(&cg, p->funcs.at[i], false); /* in source order */
    Kernels kernels = kernels_of_part(&cg);
    for (int i = 0; i < kernels.n; i++) {
        cg_kernel(&cg, kernels.at[i]);
        if (o->n_levels) version_kernel(&cg, whole, kernels.at[i]);
    }
    device_functions(&cg);
    if (o->n_levels && o->part == 0 && kernels.n && !strcmp(o->march, o->levels[0]))
        version_constructor(&cg, kernels.at[0]);
    r->n_kernels = kernels.n;
    finish(&cg, r, t);
    end(&cg);
    return true;
}

static bool read_module(Cg *cg, const char *text, size_t n, const char *path, Buf *out) {
    LLVMMemoryBufferRef buffer = LLVMCreateMemoryBufferWithMemoryRangeCopy(text, n, path);
    char *error = NULL;
    bool failed = LLVMParseIRInContext2(cg->ctx, buffer, &cg->module, &error);
    LLVMDisposeMemoryBuffer(buffer);
    if (!failed) return true;
    buf_puts(out, error);
    LLVMDisposeMessage(error);
    return false;
}

bool irgen_emit(const Blob *module, const char *target, const IrOptions *o, IrResult *r) {
    double t = now();
    Cg cg;
    Compiler own;
    Buf why = {0};
    *r = (IrResult){0};
    begin_context(&cg, &own, o, target_find(target));
    if (!read_module(&cg, module->at, module->n, target, &why))
        ice(cg.c, (Span){0}, "LLVM refuses its own module: %s", why.at);
    set_target(&cg);
    emit_object(&cg, r);
    r->times.codegen = lap(&t);
    end(&cg);
    return true;
}

/* A single pass on a module written by a test ---------------------------------------------------------------------- */

const char *irgen_nest_plan_problem(Arena *a, const char *text) { return simd_plan_problem(a, text); }

void irgen_list_passes(Buf *out) {
    for (int id = 0; id < PASS__COUNT; id++) buf_printf(out, "%-18s %s\n", passes[id].name, passes[id].what);
}

bool irgen_run_pass(const char *name, const char *target, const IrOptions *o, const char *text, size_t n,
                    const char *path, Buf *out) {
    const Pass *pass = pass_named(name);
    Cg cg;
    Compiler own;
    begin_context(&cg, &own, o, target_find(target));
    bool ok = read_module(&cg, text, n, path, out);
    if (ok) {
        set_target(&cg);
        verify(&cg, "being read");
        run_one(&cg, pass);
        verify(&cg, pass->name);
        char *made = LLVMPrintModuleToString(cg.module);
        buf_puts(out, made);
        LLVMDisposeMessage(made);
    } else {
        cg.module = LLVMModuleCreateWithNameInContext(path, cg.ctx);
        set_target(&cg);
    }
    end(&cg);
    return ok;
}

/* Works on the tree; no module is generated. */
LaunchKernels irgen_launch_kernels(const Program *p, const LaunchDevice *devices, int n) {
    return launch_rows(&(Cg){.program = p, .c = p->c}, devices, n);
}

void ir_result_free(IrResult *r) {
    blob_free(&r->object);
    free(r->text);
    free(r->assembly);
    if (r->vector) arena_free(&r->vector->arena);
    free(r->vector);
    *r = (IrResult){0};
}
