/* told.c -- --explain=vector and --explain=launch: runs the code generator for what only it knows. */
#include "driver/told.h"

#include <string.h>

/* Debug information provides the places. */
bool told_vector(const Program *p, const Options *o, IrResult *r) {
    IrOptions options = {.opt_level = 2,
                         .debug = true,
                         .unchecked = o->unchecked,
                         .march = o->march,
                         .explain_vector = true,
                         .omitted = o->omitted,
                         .nest_plan = o->nest_plan,
                         .vector_always = o->vector_always};
    *r = (IrResult){0};
    return irgen_device(p, "x86", &options, r);
}

static LaunchDevice device_of(Compiler *c, const Piece *m, bool registers, Blob *told) {
    LaunchDevice device = {m->target, m->options.march, m->result.assembly};
    if (strcmp(m->target, "nvptx")) return device;
    Blob ptx = {m->result.assembly, strlen(m->result.assembly)};
    device.said = registers && off_ptxas_tells(c, m->options.march, &ptx, told) ? told->at : NULL;
    return device;
}

LaunchKernels told_launch_of(const Program *p, const Code *code, bool registers) {
    Compiler *c = p->c;
    LaunchDevice *devices = arena_array(&c->arena, LaunchDevice, code->n + 1);
    Blob *told = arena_array(&c->arena, Blob, code->n + 1);
    int n = 0;
    for (int i = 0; i < code->n; i++) {
        const Piece *m = &code->at[i];
        if (!m->target || !strcmp(m->target, "x86")) continue;
        devices[n] = device_of(c, m, registers, &told[n]);
        n++;
    }
    LaunchKernels kernels = {0};
    if (!c->diags.n_errors) kernels = irgen_launch_kernels(p, devices, n);
    for (int i = 0; i < n; i++) blob_free(&told[i]);
    return kernels;
}

bool told_launch(const Program *p, Options *o, bool registers, Times *t, LaunchKernels *kernels) {
    Compiler *c = p->c;
    const char *why;
    if (!archs_have_gpu(&o->archs)) archs_parse(&o->archs, &c->arena, "sm_90", &why);
    o->emit = EMIT_DEVICE_ASM;
    Code code = code_plan(&c->arena, p, o);
    bool ok = code_generate(&code, t) && !c->diags.n_errors;
    if (ok) *kernels = told_launch_of(p, &code, registers);
    code_free(&code);
    return ok && !c->diags.n_errors;
}
