/* main.c -- kdslc: the map of the compiler. `compile` is the list of stages, in order; each is one call into the room
 * that does it, and each later stage sees only what earlier ones accepted. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/base.h"
#include "driver/options.h"
#include "driver/json.h"
#include "driver/output.h"
#include "driver/stdlib.h"
#include "driver/timing.h"
#include "irgen/irgen.h"
#include "lexer/lexer.h"
#include "offload/offload.h"
#include "parser/ast.h"
#include "sema/sema.h"

enum { CODEGEN_STACK_BYTES = 64 << 20 }; /* LLVM recurses on long functions */

/* One of the two modules: the host program, or the kernels for a device. */
typedef struct Half {
    const Program *program;
    const char *target; /* NULL: the host */
    IrOptions options;
    IrResult result;
    bool ok;
} Half;

static void *generate_half(void *arg) {
    Half *h = arg;
    h->ok = h->target ? irgen_device(h->program, h->target, &h->options, &h->result)
                      : irgen_host(h->program, &h->options, &h->result);
    return NULL;
}

static bool has_kernels(const Program *p) {
    for (int i = 0; i < p->funcs.n; i++)
        if (p->funcs.at[i]->is_kernel) return true;
    return false;
}

static void report_half(Times *t, const Half *h) {
    const char *name = h->target ? h->target : "host";
    times_part(t, name, "build", h->result.times.build);
    times_part(t, name, "verify", h->result.times.verify);
    times_part(t, name, "optimize", h->result.times.optimize);
    times_part(t, name, "codegen", h->result.times.codegen);
}

/* Host and device know nothing of each other: the device's code is made on a second thread. */
static bool generate(Half *host, Half *device, Times *t) {
    pthread_t thread;
    pthread_attr_t attr;
    pthread_attr_init(&attr);
    pthread_attr_setstacksize(&attr, CODEGEN_STACK_BYTES);
    bool threaded = device && host && !pthread_create(&thread, &attr, generate_half, device);
    pthread_attr_destroy(&attr);
    if (host) generate_half(host);
    if (threaded) pthread_join(thread, NULL);
    else if (device) generate_half(device);
    if (host) report_half(t, host);
    if (device) report_half(t, device);
    times_stage(t, host && device ? "code (side by side)" : "code");
    return (!host || host->ok) && (!device || device->ok);
}

static bool is_device_emit(Emit e) { return e == EMIT_DEVICE_LLVM || e == EMIT_DEVICE_ASM; }
static bool is_assembly_emit(Emit e) { return e == EMIT_ASM || e == EMIT_DEVICE_ASM; }

/* --emit=llvm, asm and their device- versions. */
static bool emit_code(Compiler *c, const Options *o, const char *output, Half *host, Half *device, Times *t) {
    bool wants_device = is_device_emit(o->emit), wants_assembly = is_assembly_emit(o->emit);
    Half *half = wants_device ? device : host;
    half->options.want_text = !wants_assembly;
    half->options.want_asm = wants_assembly;
    if (!generate(wants_device ? NULL : host, wants_device ? device : NULL, t)) return false;
    const char *text = wants_assembly ? half->result.assembly : half->result.text;
    bool ok = output_text(c, output, text, strlen(text));
    times_stage(t, "write");
    return ok;
}

static bool runs_program(const Options *o) { return o->command == COMMAND_RUN || o->command == COMMAND_TEST; }

/* Objects to the executable, or to one object file: device image, its bytes as an object, the link. The device's object
 * takes part itself, too: its kernels are what a launch falls back to. */
static bool link_program(Compiler *c, const Options *o, const char *output, Blob *program, Half *host, Half *device,
                         Times *t) {
    bool kernels = device != NULL;
    Blob image = {0}, objects[3] = {host->result.object};
    bool ok = true;
    if (kernels) {
        ok = off_link_x86_image(c, device->result.object, &image);
        times_stage(t, "link device image");
        ok = ok && off_images_object(c, &image, 1, &objects[1]);
        objects[2] = device->result.object;
        times_stage(t, "embed image");
    }
    if (ok) {
        ok = off_link(c, &(LinkJob){.objects = objects,
                                    .n_objects = kernels ? 3 : 1,
                                    .relocatable = o->object,
                                    .shared = o->shared,
                                    .libraries = o->libraries,
                                    .folders = o->folders,
                                    .n_libraries = o->n_libraries,
                                    .n_folders = o->n_folders,
                                    .needs_omptarget = kernels,
                                    .debug = o->debug,
                                    .output = output,
                                    .in_memory = runs_program(o) ? program : NULL});
        times_stage(t, o->object ? "link object" : o->shared ? "link library" : "link program");
    }
    blob_free(&image);
    blob_free(&objects[1]);
    return ok;
}

static bool emit_tree(Compiler *c, const Module *m, bool types, const char *output, Times *t) {
    Buf text = {0};
    ast_dump(c, m, types, &text);
    bool ok = output_text(c, output, text.n ? text.at : "", text.n);
    buf_free(&text);
    times_stage(t, "write");
    return ok;
}

static bool explain(Compiler *c, const Options *o, const Program *p, const char *output, Times *t) {
    static void (*const explain_[])(const Program *, Buf *) = {
        [EXPLAIN_NONE] = emit_plan, [EXPLAIN_BOUNDS] = explain_bounds, [EXPLAIN_TRANSFERS] = explain_transfers};
    Buf text = {0};
    (o->json ? transfers_as_json : explain_[o->explain])(p, &text);
    bool ok = output_text(c, output, text.n ? text.at : "", text.n);
    buf_free(&text);
    times_stage(t, "write");
    return ok;
}

static bool emit_tokens(Compiler *c, Source *source, const char *output, Times *t) {
    Buf text = {0};
    lex_dump(c, source, &text);
    times_stage(t, "lex");
    bool ok = !c->diags.n_errors && output_text(c, output, text.n ? text.at : "", text.n);
    buf_free(&text);
    times_stage(t, "write");
    return ok;
}

/* -Werror: warnings become errors before anything is generated. */
static bool accepted(Compiler *c, const Options *o) {
    for (int i = 0; o->warnings_are_errors && i < c->diags.list.n; i++) {
        Diag *d = c->diags.list.at[i];
        if (d->severity != SEV_WARNING) continue;
        d->severity = SEV_ERROR;
        c->diags.n_errors++;
    }
    return c->diags.n_errors == 0;
}

/* The compiler, from source to result. `output`: the file to write, "-" for standard output; `run` gives *program. */
static bool compile(Compiler *c, const Options *o, const char *output, Blob *program, Times *t) {
    const char *why;
    Source *source = source_read(&c->sources, o->input, &why);
    if (!source) {
        diag(c, E1002, (Span){0}, "cannot read `%s`: %s", o->input, why);
        return false;
    }
    times_stage(t, "read");
    if (o->emit == EMIT_TOKENS) return emit_tokens(c, source, output, t);

    Module *module = parse_source(c, source, NULL);
    times_stage(t, "parse");
    if (c->diags.n_errors) return false; /* checking a text with holes would only report the holes again */
    if (o->emit == EMIT_AST) return emit_tree(c, module, false, output, t);

    bool tests = o->command == COMMAND_TEST, makes_program = o->command != COMMAND_CHECK && !o->emit && !o->object && !o->shared;
    makes_program = makes_program && !o->explain;
    SemaOptions how = {.stdlib = stdlib_modules, .need_main = makes_program && !tests, .run_tests = tests,
                       .transfers_each = o->transfers_each};
    Program *checked = sema_check(c, module, &how);
    times_stage(t, "check");
    if (!accepted(c, o)) return false;
    if (o->emit == EMIT_CHECKED) return emit_tree(c, module, true, output, t);
    if (o->explain || o->emit == EMIT_PLAN) return explain(c, o, checked, output, t);
    if (o->command == COMMAND_CHECK) return true;
    if (o->emit == EMIT_HEADER) return output_header(c, checked, output);

    IrOptions options = {.opt_level = o->opt_level, .debug = o->debug, .unchecked = o->unchecked, .unified = o->unified,
                         .march = o->march};
    Half host = {.program = checked, .options = options};
    Half x86 = {.program = checked, .options = options, .target = "x86"};
    Half *device = has_kernels(checked) ? &x86 : NULL;
    bool ok = o->emit ? emit_code(c, o, output, &host, &x86, t)
                      : generate(&host, device, t) && link_program(c, o, output, program, &host, device, t);
    ir_result_free(&host.result);
    ir_result_free(&x86.result);
    return ok;
}

/* At a terminal, where a person reads: the way to the longer text. */
static void mention_explain(const Compiler *c, Buf *said) {
    for (int i = 0; i < c->diags.list.n; i++) {
        const Diag *d = c->diags.list.at[i];
        if (d->severity != SEV_ERROR) continue;
        buf_printf(said, "(`kdslc explain %s` says more)\n", diag_code_name(d->code));
        return;
    }
}

static int finish(Compiler *c, const Options *o, bool ok, Times *t) {
    Buf said = {0};
    diags_print(c, &said, o->colour);
    if (o->colour && isatty(STDERR_FILENO)) mention_explain(c, &said);
    if (said.n) write_fully(STDERR_FILENO, said.at, said.n);
    buf_free(&said);
    c->diags.list.n = 0; /* said */
    times_stage(t, "rest");
    if (o->time_report) times_print(t, stderr);
    return ok ? KDSLC_OK : KDSLC_DIAGNOSTICS;
}

int main(int argc, char **argv) {
    Options o;
    Times t;
    Compiler c;
    Blob program = {0};
    times_start(&t);
    output_guard_standard_files();
    compiler_init(&c);
    int done = options_parse(&o, &c.arena, argc, argv);
    if (done >= 0) {
        compiler_free(&c);
        return done;
    }
    const char *output = o.command == COMMAND_BUILD ? output_name(&c, &o) : "";
    bool ok = output && compile(&c, &o, output, &program, &t);
    int status = finish(&c, &o, ok, &t);
    if (ok && runs_program(&o)) {
        output_execute(&c, program, &o); /* comes back only on failure */
        status = finish(&c, &o, false, &t);
    }
    blob_free(&program);
    compiler_free(&c);
    return status;
}
