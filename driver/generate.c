/* generate.c -- parallel code generation: the modules of the program are made by several threads. Which modules there
 * are depends only on the program and the options, not on the machine, so the result is the same everywhere. */
#include "driver/generate.h"

#include <malloc.h>
#include <pthread.h>
#include <sched.h>
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
    case EMIT_NONE:
    case EMIT_TOKENS:
    case EMIT_AST:
    case EMIT_CHECKED:
    case EMIT_HEADER:
    case EMIT_INTERFACE:
    case EMIT_PLAN:
    case EMIT__COUNT: break;
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

/* The piece with the optimised module for a GPU like this one; -1: there is no other GPU like it. */
static int shared_module(Code *code, const Piece *gpu, const Options *o) {
    int n_alike = 0;
    for (int i = 0; i < o->archs.n; i++)
        n_alike += !strcmp(o->archs.at[i].target, gpu->target) &&
                   irgen_same_module(gpu->target, o->archs.at[i].cpu, gpu->options.march);
    if (n_alike < 2) return -1;
    for (int i = 0; i < code->n; i++) {
        const Piece *m = &code->at[i];
        if (m->options.want_module && !strcmp(m->target, gpu->target) &&
            irgen_same_module(m->target, m->options.march, gpu->options.march))
            return i;
    }
    Piece made = *gpu;
    made.image = -1;
    made.options.want_module = true;
    code->at[code->n] = made;
    return code->n++;
}

/* One module each: what is linked on a GPU is linked here. GPUs that are alike have one that is optimised, and of which
 * the code of each is emitted. */
static void plan_gpus(Code *code, const Program *p, const Options *o, IrOptions options) {
    for (int i = 0; i < o->archs.n; i++) {
        const Arch *a = &o->archs.at[i];
        if (!is_gpu(a)) continue;
        options.march = a->cpu;
        Piece m = {.program = p, .options = options, .target = a->target, .image = code->n_images++, .from = -1};
        if (!o->emit) m.from = shared_module(code, &m, o);
        m.assembles = !o->emit && !strcmp(a->target, "nvptx") && !a->any_newer;
        code->at[code->n++] = m;
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
                         .memory = o->memory,
                         .transfers_each = o->transfers_each,
                         .march = o->march,
                         .scalar = o->scalar,
                         .vector_always = o->vector_always,
                         .omitted = o->omitted,
                         .nest_plan = o->nest_plan,
                         .print_before = o->print_before,
                         .want_asm = emit.assembly,
                         .want_text = emit.text};
    Code code = {arena_array(arena, Piece, 1 + 2 * o->archs.n + n_versions * n_parts), 0, 0};
    options.gpu = archs_have_gpu(&o->archs);
    options.counts_flops = o->command == COMMAND_PROFILE;
    options.n_images = o->archs.n;
    options.has_ptx = archs_have_text(&o->archs) || (archs_have(&o->archs, "nvptx") && !off_find_ptxas(arena));
    if (!emit.of_device || emit.of_all)
        code.at[code.n++] = (Piece){.program = p, .options = options, .image = -1, .from = -1};
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
        code.at[code.n++] = (Piece){.program = p, .options = options, .target = "x86", .image = -1, .from = -1};
    }
    return code;
}

/* Guards what threads have taken and done. */
typedef struct Queue {
    Code *code;
    pthread_mutex_t lock;
    pthread_cond_t done;
    bool is_ended; /* no other piece is to be made */
} Queue;

/* Modules that others wait for come first, then those that take longest: code for GPUs. The host's takes the least time
 * and comes last. all_taken: nothing is left to wait for. */
static Piece *next_piece(Code *code, bool *all_taken) {
    Piece *best = NULL;
    *all_taken = true;
    for (int i = code->n - 1; i >= 0; i--) {
        Piece *m = &code->at[(i + 1) % code->n]; /* the host's, then the others backwards */
        if (m->is_taken) continue;
        *all_taken = false;
        if (m->options.want_module) return m;
        if (m->from < 0 || code->at[m->from].is_done) best = m;
    }
    return best;
}

/* What cannot be made is left to the last stage, which reports it. */
static void assemble(Piece *m) {
    Compiler own;
    compiler_init(&own);
    if (!off_link_gpu_image(&own, m->target, m->options.march, false, &m->result.object, &m->bytes))
        m->bytes = (Blob){0};
    compiler_free(&own);
}

static void make(const Code *code, Piece *m) {
    if (m->from >= 0) m->ok = irgen_emit(&code->at[m->from].result.object, m->target, &m->options, &m->result);
    else if (m->target) m->ok = irgen_device(m->program, m->target, &m->options, &m->result);
    else m->ok = irgen_host(m->program, &m->options, &m->result);
    if (m->ok && m->assembles) assemble(m);
}

static void *work(void *arg) {
    Queue *q = arg;
    bool all_taken = false;
    pthread_mutex_lock(&q->lock);
    while (!all_taken && !q->is_ended) {
        Piece *m = next_piece(q->code, &all_taken);
        if (m) {
            m->is_taken = true;
            pthread_mutex_unlock(&q->lock);
            make(q->code, m);
            pthread_mutex_lock(&q->lock);
            m->is_done = true;
            pthread_cond_broadcast(&q->done);
        } else if (!all_taken) {
            pthread_cond_wait(&q->done, &q->lock);
        }
    }
    pthread_mutex_unlock(&q->lock);
    return NULL;
}

/* The heap of a thread grows by 32 MB of addresses, not by system calls of a page each; and as the process ends soon,
 * no memory returns to the system, which would have to clear it again. */
static void prepare_memory(void) {
    mallopt(M_TOP_PAD, 32 << 20);
    mallopt(M_TRIM_THRESHOLD, 1 << 30);
    mallopt(M_MMAP_THRESHOLD, 16 << 20);
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

static bool is_complete(const Code *code) {
    bool ok = true;
    for (int i = 0; i < code->n; i++) ok = ok && code->at[i].ok;
    return ok;
}

static void end_queue(Queue *q) {
    pthread_mutex_lock(&q->lock);
    q->is_ended = true;
    pthread_cond_broadcast(&q->done);
    pthread_mutex_unlock(&q->lock);
}

bool code_generate_beside(Code *code, Times *t, bool (*beside)(void *context), void *context) {
    enum { MAX_THREADS = 64 };
    pthread_t threads[MAX_THREADS];
    Queue queue = {.code = code, .lock = PTHREAD_MUTEX_INITIALIZER, .done = PTHREAD_COND_INITIALIZER};
    int wanted = thread_count(code), n = 0;
    pthread_attr_t attr;
    prepare_memory();
    pthread_attr_init(&attr);
    pthread_attr_setstacksize(&attr, STACK_BYTES);
    while (n < wanted && n < MAX_THREADS && !pthread_create(&threads[n], &attr, work, &queue)) n++;
    pthread_attr_destroy(&attr);
    bool is_needed = beside(context);
    if (!is_needed) end_queue(&queue);
    if (!n) work(&queue);
    for (int i = 0; i < n; i++) pthread_join(threads[i], NULL);
    report(t, code, false);
    report(t, code, true);
    times_stage(t, code->n > 1 ? "code (in parallel)" : "code");
    return is_needed && is_complete(code);
}

static bool nothing(void *context) {
    (void)context;
    return true;
}

bool code_generate(Code *code, Times *t) { return code_generate_beside(code, t, nothing, NULL); }

void code_free(Code *code) {
    for (int i = 0; i < code->n; i++) {
        ir_result_free(&code->at[i].result);
        blob_free(&code->at[i].bytes);
    }
}
