/* generate.c -- parallel code generation: the modules of the program are made by several threads. Which modules there
 * are depends only on the program and the options, not on the machine, so the result is the same everywhere. */
#include "driver/generate.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum {
    STACK_BYTES = 64 << 20, /* LLVM recurses on long functions */
    KERNELS_IN_PART = 2,    /* a module costs a few milliseconds, a kernel as vector code some fifty */
    LEAST_PARTS = 4,        /* of as many kernels: one that has most of the code would keep the other cores waiting */
    MAX_PARTS = 64
};

static int kernel_count(const Program *p) {
    int n = 0;
    for (int i = 0; i < p->funcs.n; i++) n += p->funcs.at[i]->is_kernel;
    return n;
}

/* Which text of which modules --emit prints. */
typedef struct Wanted {
    bool text, assembly, of_device, of_all;
} Wanted;

static Wanted wanted(Emit emit) {
    switch (emit) {
    case EMIT_HTML: return (Wanted){.text = true, .assembly = true, .of_device = true, .of_all = true};
    case EMIT_LLVM: return (Wanted){.text = true};
    case EMIT_DEVICE_LLVM: return (Wanted){.text = true, .of_device = true};
    case EMIT_ASM: return (Wanted){.assembly = true};
    case EMIT_DEVICE_ASM: return (Wanted){.assembly = true, .of_device = true};
    case EMIT_NONE: case EMIT_TOKENS: case EMIT_AST: case EMIT_CHECKED: case EMIT_HEADER: case EMIT_INTERFACE:
    case EMIT_PLAN: case EMIT__COUNT: break;
    }
    return (Wanted){0};
}

static int part_count(const Options *o, int n_kernels) {
    int least = n_kernels < LEAST_PARTS ? n_kernels : LEAST_PARTS;
    int n = (n_kernels + KERNELS_IN_PART - 1) / KERNELS_IN_PART;
    if (n < least) n = least;
    return o->emit || n < 1 ? 1 : n > MAX_PARTS ? MAX_PARTS : n;
}

static bool is_gpu(const Arch *a) { return strcmp(a->target, "x86") != 0; }

/* One module each: what is linked on a GPU is linked here. */
static void plan_gpus(Code *code, const Program *p, const Options *o, IrOptions options) {
    for (int i = 0; i < o->archs.n; i++) {
        const Arch *a = &o->archs.at[i];
        if (!is_gpu(a)) continue;
        options.march = a->cpu;
        code->at[code->n++] = (Piece){.program = p, .options = options, .target = a->target, .image = code->n_images++};
    }
}

Code code_plan(Arena *arena, const Program *p, const Options *o) {
    int n_kernels = kernel_count(p), n_versions = o->n_levels ? o->n_levels : 1, n_parts = part_count(o, n_kernels);
    Wanted emit = wanted(o->emit);
    IrOptions options = {.opt_level = o->opt_level,
                         .debug = o->debug,
                         .unchecked = o->unchecked,
                         .without = o->without,
                         .verify_each = o->verify_each || getenv("KDSL_VERIFY_EACH"),
                         .memory = o->memory, .transfers_each = o->transfers_each,
                         .march = o->march,
                         .scalar = o->scalar,
                         .vector_always = o->vector_always,
                         .omitted = o->omitted,
                         .nest_plan = o->nest_plan,
                         .print_before = o->print_before,
                         .want_asm = emit.assembly,
                         .want_text = emit.text};
    Code code = {arena_array(arena, Piece, 1 + o->archs.n + n_versions * n_parts), 0, 0};
    options.gpu = archs_have_gpu(&o->archs);
    options.counts_flops = o->command == COMMAND_PROFILE;
    options.n_images = o->archs.n;
    options.has_ptx = archs_have_text(&o->archs) || (archs_have(&o->archs, "nvptx") && !off_find_ptxas(arena));
    if (!emit.of_device || emit.of_all) code.at[code.n++] = (Piece){.program = p, .options = options};
    bool has_devices = o->emit && !emit.of_all ? emit.of_device : n_kernels > 0;
    if (!has_devices) return code;
    plan_gpus(&code, p, o, options);
    if (emit.of_device && !archs_have_cpu(&o->archs)) return code;
    options.levels = o->levels;
    options.n_levels = o->n_levels;
    options.n_parts = n_parts;
    for (int i = 0; i < n_versions * n_parts; i++) {
        if (o->n_levels) options.march = o->levels[i / n_parts];
        options.part = i % n_parts;
        code.at[code.n++] = (Piece){.program = p, .options = options, .target = "x86"};
    }
    return code;
}

typedef struct Queue {
    Code *code;
    atomic_int next;
} Queue;

static void *work(void *arg) {
    Queue *q = arg;
    for (int i; (i = atomic_fetch_add(&q->next, 1)) < q->code->n;) {
        Piece *m = &q->code->at[i];
        m->ok = m->target ? irgen_device(m->program, m->target, &m->options, &m->result)
                          : irgen_host(m->program, &m->options, &m->result);
    }
    return NULL;
}

/* As many threads as there are cores for us. */
static int thread_count(const Code *code) {
    cpu_set_t set;
    int cores = sched_getaffinity(0, sizeof set, &set) ? 2 : CPU_COUNT(&set);
    return code->n < cores ? code->n : cores;
}

static void report(Times *t, const Code *code, bool device) {
    IrTimes sum = {0};
    int n = 0;
    for (int i = 0; i < code->n; i++) {
        if ((code->at[i].target != NULL) != device) continue;
        const IrTimes *own = &code->at[i].result.times;
        sum.build += own->build;
        sum.verify += own->verify;
        sum.vectorize += own->vectorize;
        sum.optimize += own->optimize;
        sum.codegen += own->codegen;
        n++;
    }
    if (!n) return;
    const char *name = device ? "x86" : "host";
    times_part(t, name, "build", sum.build);
    times_part(t, name, "verify", sum.verify);
    if (device) times_part(t, name, "vectorize", sum.vectorize);
    times_part(t, name, "optimize", sum.optimize);
    times_part(t, name, "codegen", sum.codegen);
}

bool code_generate(Code *code, Times *t) {
    enum { MAX_THREADS = 64 };
    pthread_t threads[MAX_THREADS];
    Queue queue = {.code = code};
    int wanted = thread_count(code), n = 0;
    pthread_attr_t attr;
    pthread_attr_init(&attr);
    pthread_attr_setstacksize(&attr, STACK_BYTES);
    while (n < wanted && n < MAX_THREADS && !pthread_create(&threads[n], &attr, work, &queue)) n++;
    pthread_attr_destroy(&attr);
    if (!n) work(&queue);
    for (int i = 0; i < n; i++) pthread_join(threads[i], NULL);
    report(t, code, false);
    report(t, code, true);
    times_stage(t, code->n > 1 ? "code (in parallel)" : "code");
    bool ok = true;
    for (int i = 0; i < code->n; i++) ok = ok && code->at[i].ok;
    return ok;
}

void code_free(Code *code) {
    for (int i = 0; i < code->n; i++) ir_result_free(&code->at[i].result);
}
