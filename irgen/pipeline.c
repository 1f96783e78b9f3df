/* pipeline.c -- one module from start to end: made, verified, optimised, written as an object. The public functions of
 * irgen.h are here. Each call owns its LLVM context, its arena and its source map: two run side by side. */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <llvm-c/Analysis.h>
#include <llvm-c/Transforms/PassBuilder.h>

#include "irgen/cg.h"

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* A module ready to be filled -------------------------------------------------------------------------------------- */

/* The sources again, in a source map of our own: working out a place fills in the map's line tables. */
static void copy_sources(Cg *cg) {
    const Program *p = cg->program;
    for (int i = 0; i < p->c->sources.files.n; i++) {
        const Source *s = p->c->sources.files.at[i];
        Source *own = source_add(&cg->c->sources, s->path, s->text, s->n);
        if (!own) ice(cg->c, (Span){0}, "the sources do not fit twice");
        if (s == p->module->source) cg->base_shift = own->base - s->base;
    }
}

static void module_flag(Cg *cg, const char *name, int v) {
    LLVMAddModuleFlag(cg->module, LLVMModuleFlagBehaviorOverride, name, strlen(name),
                      LLVMValueAsMetadata(cg_i32(cg, v)));
}

static void set_target(Cg *cg) {
    cg->machine = target_machine(cg->target, cg->options->march, cg->options->opt_level);
    if (!cg->machine) ice(cg->c, (Span){0}, "LLVM has no code generator for %s", cg->target->triple);
    LLVMTargetDataRef layout = LLVMCreateTargetDataLayout(cg->machine);
    LLVMSetModuleDataLayout(cg->module, layout);
    LLVMDisposeTargetData(layout);
    LLVMSetTarget(cg->module, cg->target->triple);
    module_flag(cg, "PIC Level", 2);
    if (cg->target->is_program) module_flag(cg, "PIE Level", 2);
}

static void begin(Cg *cg, Compiler *own, const Program *p, const IrOptions *o, const Target *t) {
    *cg = (Cg){.program = p, .options = o, .target = t, .c = own};
    compiler_init(own);
    copy_sources(cg);
    cg->ctx = LLVMContextCreate();
    const char *path = p->module->source->path;
    cg->module = LLVMModuleCreateWithNameInContext(path, cg->ctx);
    LLVMSetSourceFileName(cg->module, path, strlen(path));
    cg->b = LLVMCreateBuilderInContext(cg->ctx);
    cg_types_init(cg);
    set_target(cg);
    cg_debug_begin(cg);
}

static void end(Cg *cg) {
    LLVMDisposeBuilder(cg->b);
    LLVMDisposeModule(cg->module);
    LLVMContextDispose(cg->ctx);
    LLVMDisposeTargetMachine(cg->machine);
    compiler_free(cg->c);
}

/* Stages ----------------------------------------------------------------------------------------------------------- */

static void verify(Cg *cg) {
    char *error = NULL;
    if (!LLVMVerifyModule(cg->module, LLVMReturnStatusAction, &error)) {
        LLVMDisposeMessage(error);
        return;
    }
    char *text = LLVMPrintModuleToString(cg->module);
    ice(cg->c, (Span){0}, "the module for %s is not valid: %s\n%s", cg->target->name, error, text);
}

static void optimize(Cg *cg) {
    char passes[] = "default<O0>";
    int level = cg->options->opt_level;
    passes[sizeof "default<O" - 1] = (char)('0' + (level < 0 ? 0 : level > 3 ? 3 : level));
    LLVMPassBuilderOptionsRef options = LLVMCreatePassBuilderOptions();
    LLVMErrorRef error = LLVMRunPasses(cg->module, passes, cg->machine, options);
    LLVMDisposePassBuilderOptions(options);
    if (error) ice(cg->c, (Span){0}, "LLVM refuses its own pipeline %s: %s", passes, LLVMGetErrorMessage(error));
}

static char *copy_text(char *llvm_text) {
    char *text = strdup(llvm_text);
    LLVMDisposeMessage(llvm_text);
    return text;
}

static LLVMMemoryBufferRef emit(Cg *cg, LLVMModuleRef m, LLVMCodeGenFileType type) {
    LLVMMemoryBufferRef out;
    char *error = NULL;
    if (LLVMTargetMachineEmitToMemoryBuffer(cg->machine, m, type, &error, &out))
        ice(cg->c, (Span){0}, "LLVM cannot emit code for %s: %s", cg->target->name, error);
    return out;
}

/* Emitting changes the module, so assembly is made from a copy. */
static void emit_asm(Cg *cg, IrResult *r) {
    LLVMModuleRef copy = LLVMCloneModule(cg->module);
    LLVMMemoryBufferRef out = emit(cg, copy, LLVMAssemblyFile);
    r->assembly = strndup(LLVMGetBufferStart(out), LLVMGetBufferSize(out));
    LLVMDisposeMemoryBuffer(out);
    LLVMDisposeModule(copy);
}

static void emit_object(Cg *cg, IrResult *r) {
    LLVMMemoryBufferRef out = emit(cg, cg->module, LLVMObjectFile);
    r->object.n = LLVMGetBufferSize(out);
    r->object.at = malloc(r->object.n + 1);
    if (!r->object.at) ice(cg->c, (Span){0}, "out of memory");
    memcpy(r->object.at, LLVMGetBufferStart(out), r->object.n);
    LLVMDisposeMemoryBuffer(out);
}

static double lap(double *from) {
    double t = now(), d = t - *from;
    *from = t;
    return d;
}

static void finish(Cg *cg, IrResult *r, double t) {
    const IrOptions *o = cg->options;
    cg_debug_end(cg);
    r->times.build = lap(&t);
    verify(cg);
    r->times.verify = lap(&t);
    if (o->want_text_before) r->text = copy_text(LLVMPrintModuleToString(cg->module));
    optimize(cg);
    if (o->want_text && !r->text) r->text = copy_text(LLVMPrintModuleToString(cg->module));
    r->times.optimize = lap(&t);
    if (o->want_asm) emit_asm(cg, r);
    bool text_only = o->want_asm || o->want_text || o->want_text_before;
    if (!text_only) emit_object(cg, r);
    r->times.codegen = lap(&t);
}

/* The two kinds of module ------------------------------------------------------------------------------------------ */

bool irgen_host(const Program *p, const IrOptions *o, IrResult *r) {
    double t = now();
    Cg cg;
    Compiler own;
    *r = (IrResult){0};
    begin(&cg, &own, p, o, target_find("host"));
    cg.off = off_module_new(cg.c, cg.module);
    if (o->unified) off_require_unified_memory(cg.off);
    for (int i = 0; i < p->funcs.n; i++) {
        const Func *fn = p->funcs.at[i];
        if (!fn->is_kernel && !fn->is_extern && fn->on_host) cg_host_function(&cg, fn);
    }
    if (p->runs_tests) cg_tests(&cg);
    for (int i = 0; i < p->funcs.n; i++)
        if (p->funcs.at[i]->is_export) cg_export(&cg, p->funcs.at[i]);
    r->n_kernels = off_module_finish(cg.off, 1);
    finish(&cg, r, t);
    off_module_free(cg.off);
    end(&cg);
    return true;
}

bool irgen_device(const Program *p, const char *target, const IrOptions *o, IrResult *r) {
    double t = now();
    Cg cg;
    Compiler own;
    *r = (IrResult){0};
    begin(&cg, &own, p, o, target_find(target));
    for (int i = 0; i < p->funcs.n; i++)
        if (!p->funcs.at[i]->is_kernel && p->funcs.at[i]->on_device) cg_device_function(&cg, p->funcs.at[i]);
    for (int i = 0; i < p->funcs.n; i++) {
        if (!p->funcs.at[i]->is_kernel) continue;
        cg_kernel(&cg, p->funcs.at[i]);
        r->n_kernels++;
    }
    finish(&cg, r, t);
    end(&cg);
    return true;
}

void ir_result_free(IrResult *r) {
    blob_free(&r->object);
    free(r->text);
    free(r->assembly);
    *r = (IrResult){0};
}
