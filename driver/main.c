/* main.c -- kdslc: the map of the compiler. `compile` is the list of stages, in order; each is one call into the room
 * that does it, and each later stage sees only what earlier ones accepted. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/base.h"
#include "driver/doctor.h"
#include "driver/generate.h"
#include "driver/json.h"
#include "driver/options.h"
#include "driver/output.h"
#include "driver/stdlib.h"
#include "driver/timing.h"
#include "interp/interp.h"
#include "irgen/irgen.h"
#include "lexer/lexer.h"
#include "offload/offload.h"
#include "parser/ast.h"
#include "repl/repl.h"
#include "sema/sema.h"

static bool is_ptx(const Piece *m) { return m->target && !strcmp(m->target, "nvptx"); }

/* --emit=llvm, asm and their device- versions; one text after the other where there are several versions. */
static bool emit_code(Compiler *c, const char *output, Code *code, Times *t) {
    if (!code_generate(code, t)) return false;
    Buf text = {0};
    for (int i = 0; i < code->n; i++) {
        const IrResult *r = &code->at[i].result;
        if (code->n > 1) buf_printf(&text, "%s %s\n", r->text ? ";" : is_ptx(&code->at[i]) ? "//" : "#", code->at[i].options.march);
        buf_puts(&text, r->text ? r->text : r->assembly);
    }
    bool ok = output_text(c, output, text.at, text.n);
    buf_free(&text);
    times_stage(t, "write");
    return ok;
}

static bool runs_program(const Options *o) { return o->command == COMMAND_RUN || o->command == COMMAND_TEST; }

static bool is_gpu(const Piece *m) { return m->target && strcmp(m->target, "x86"); }

/* The images, in the order of --offload-arch: those of GPUs, then the x86 device's. */
static bool make_images(Compiler *c, const Options *o, const Code *code, const Blob *x86, int n_x86, DeviceImage *images) {
    bool ok = true;
    for (int i = 0; i < o->archs.n; i++) {
        const Arch *a = &o->archs.at[i];
        images[i].triple = irgen_triple(a->target);
        images[i].arch = a->cpu ? a->cpu : "x86-64";
    }
    for (int i = 0; i < code->n; i++) {
        const Piece *m = &code->at[i];
        if (is_gpu(m))
            ok = ok && off_link_gpu_image(c, m->target, m->options.march, o->archs.at[m->image].any_newer,
                                          &m->result.object, &images[m->image].bytes);
    }
    return ok && (!archs_have_cpu(&o->archs) || off_link_x86_image(c, x86, n_x86, &images[code->n_images].bytes));
}

/* Objects to the executable, or to one object file: device images, their bytes as an object, the link. The x86 device's
 * objects take part themselves, too: their kernels are what a launch falls back to. */
static bool link_program(Compiler *c, const Options *o, const char *output, Blob *program, const Code *code, Times *t) {
    bool ok = true;
    DeviceImage *images = arena_array(&c->arena, DeviceImage, o->archs.n + 1);
    Blob *objects = arena_array(&c->arena, Blob, code->n + 2), *x86 = objects + 2;
    int n_x86 = 0;
    objects[0] = code->at[0].result.object;
    objects[1] = (Blob){0};
    for (int i = 1; i < code->n; i++)
        if (!is_gpu(&code->at[i])) x86[n_x86++] = code->at[i].result.object;
    if (n_x86) {
        ok = make_images(c, o, code, x86, n_x86, images);
        times_stage(t, o->archs.n > 1 ? "link device images" : "link device image");
        ok = ok && off_images_object(c, images, o->archs.n, &objects[1]);
        times_stage(t, "embed image");
    }
    if (ok) {
        ok = off_link(c, &(LinkJob){.objects = objects,
                                    .n_objects = n_x86 ? 2 + n_x86 : 1,
                                    .relocatable = o->object,
                                    .shared = o->shared,
                                    .libraries = o->libraries,
                                    .folders = o->folders,
                                    .n_libraries = o->n_libraries,
                                    .n_folders = o->n_folders,
                                    .needs_omptarget = n_x86 > 0,
                                    .debug = o->debug,
                                    .output = output,
                                    .in_memory = runs_program(o) ? program : NULL});
        times_stage(t, o->object ? "link object" : o->shared ? "link library" : "link program");
    }
    for (int i = 0; i < o->archs.n; i++) blob_free(&images[i].bytes);
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

/* Places come with debug information; which -O is asked for changes nothing. */
static bool explain_vector(Compiler *c, const Options *o, const Program *p, const char *output, Times *t) {
    IrOptions options = {.opt_level = 2, .debug = true, .unchecked = o->unchecked, .march = o->march, .explain_vector = true,
                         .omitted = o->omitted, .nest_plan = o->nest_plan};
    IrResult result = {0};
    Buf text = {0};
    bool ok = irgen_device(p, "x86", &options, &result);
    buf_puts(&text, result.text ? result.text : "");
    for (int i = 0; i < p->funcs.n; i++)
        if (p->funcs.at[i]->is_kernel) explain_combined(p->funcs.at[i], &text);
    ok = ok && output_text(c, output, text.n ? text.at : "", text.n);
    buf_free(&text);
    ir_result_free(&result);
    times_stage(t, "write");
    return ok;
}

/* Of each GPU that is named, or of sm_90, the kernels are compiled, for nobody knows their registers before. */
static bool explain_launch(Compiler *c, Options *o, const Program *p, const char *output, Times *t) {
    const char *why;
    if (!archs_have_gpu(&o->archs)) archs_parse(&o->archs, &c->arena, "sm_90", &why);
    LaunchDevice *devices = arena_array(&c->arena, LaunchDevice, o->archs.n + 1);
    Blob *told = arena_array(&c->arena, Blob, o->archs.n + 1);
    o->emit = EMIT_DEVICE_ASM;
    Code code = code_plan(&c->arena, p, o);
    bool ok = code_generate(&code, t);
    Buf text = {0};
    int n = 0;
    for (int i = 0; ok && i < code.n; i++) {
        Piece *m = &code.at[i];
        if (!is_gpu(m)) continue;
        Blob ptx = {m->result.assembly, strlen(m->result.assembly)};
        devices[n] = (LaunchDevice){m->target, m->options.march, is_ptx(m) ? NULL : m->result.assembly};
        if (is_ptx(m) && off_ptxas_tells(c, m->options.march, &ptx, &told[n])) devices[n].said = told[n].at;
        n++;
    }
    ok = ok && !c->diags.n_errors;
    if (ok) irgen_explain_launch(p, devices, n, &text);
    ok = ok && output_text(c, output, text.n ? text.at : "", text.n);
    for (int i = 0; i < n; i++) blob_free(&told[i]);
    buf_free(&text);
    code_free(&code);
    times_stage(t, "write");
    return ok;
}

/* The target is that of --offload-arch, if it names one GPU, else the x86 device. */
static bool run_pass(Compiler *c, const Options *o, const Source *source, const char *output) {
    bool gpu = archs_have_gpu(&o->archs);
    IrOptions options = {.opt_level = o->opt_level, .march = gpu ? o->archs.at[0].cpu : o->march};
    Buf text = {0};
    bool list = !strcmp(o->run_pass, "list");
    if (list) irgen_list_passes(&text);
    bool ok = list || irgen_run_pass(o->run_pass, gpu ? o->archs.at[0].target : "x86", &options, source->text, source->n,
                                     source->path, &text);
    if (ok) ok = output_text(c, output, text.at, text.n);
    else diag(c, E1002, (Span){0}, "cannot run pass `%s` on `%s`: %s", o->run_pass, o->input, text.at);
    buf_free(&text);
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

/* At a terminal, where a person reads: the way to the longer text. */
static void mention_explain(const Compiler *c, Buf *said) {
    for (int i = 0; i < c->diags.list.n; i++) {
        const Diag *d = c->diags.list.at[i];
        if (d->severity != SEV_ERROR) continue;
        buf_printf(said, "(for details: `kdslc explain %s`)\n", diag_code_name(d->code));
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

/* The program's exit code. In which order work items run must not matter: KDSL_INTERPRET_SEED chooses another one. */
static int interpret(const Program *p, const Options *o) {
    const char *seed = getenv("KDSL_INTERPRET_SEED");
    InterpOptions how = {.args = o->program_args, .n_args = o->n_program_args, .unchecked = o->unchecked};
    if (seed) how.seed = strtoull(seed, NULL, 10);
    return interp_run(p, &how);
}

static bool read_nest_plan(Compiler *c, Options *o) {
    const char *why;
    if (!o->nest_plan) return true;
    Source *plan = source_read(&c->sources, o->nest_plan, SOURCE_ANY, &why);
    if (plan) why = irgen_nest_plan_problem(&c->arena, plan->text);
    if (why) diag(c, E1002, (Span){0}, "cannot read `%s`: %s", o->nest_plan, why);
    else o->nest_plan = plan->text;
    return !why;
}

/* The compiler, from source to result. `output`: the file to write, "-" for standard output; `run` gives *program. */
static bool compile(Compiler *c, Options *o, const char *output, Blob *program, Times *t) {
    const char *why;
    Source *source = source_read(&c->sources, o->input, SOURCE_ANY, &why);
    if (!source) {
        diag(c, E1002, (Span){0}, "cannot read `%s`: %s", o->input, why);
        return false;
    }
    if (!read_nest_plan(c, o)) return false;
    times_stage(t, "read");
    if (o->run_pass) return run_pass(c, o, source, output);
    if (o->emit == EMIT_TOKENS) return emit_tokens(c, source, output, t);

    Module *module = parse_source(c, source, NULL);
    times_stage(t, "parse");
    if (c->diags.n_errors) return false; /* checking a text with holes would only report the holes again */
    if (o->emit == EMIT_AST) return emit_tree(c, module, false, output, t);

    bool tests = o->command == COMMAND_TEST, makes_program = o->command != COMMAND_CHECK && !o->emit && !o->object && !o->shared;
    makes_program = makes_program && !o->explain;
    bool interprets = o->command == COMMAND_INTERPRET, strict = o->strict || (interprets && !irgen_host_fuses(o->march));
    SemaOptions how = {.stdlib = stdlib_modules, .need_main = makes_program && !tests, .run_tests = tests,
                       .transfers_each = o->transfers_each, .strict = strict,
                       .host_fuses = irgen_host_fuses, .march = o->march};
    Program *checked = sema_check(c, module, &how);
    off_check_exports(c, checked);
    times_stage(t, "check");
    if (!accepted(c, o)) return false;
    if (o->emit == EMIT_CHECKED) return emit_tree(c, module, true, output, t);
    if (o->explain == EXPLAIN_VECTOR) return explain_vector(c, o, checked, output, t);
    if (o->explain == EXPLAIN_LAUNCH) return explain_launch(c, o, checked, output, t);
    if (o->explain || o->emit == EMIT_PLAN) return explain(c, o, checked, output, t);
    if (o->command == COMMAND_CHECK) return true;
    if (interprets) {
        finish(c, o, true, t); /* the warnings */
        exit(interpret(checked, o));
    }
    if (o->emit == EMIT_HEADER) return output_header(c, checked, output);

    Code code = code_plan(&c->arena, checked, o);
    bool ok = o->emit ? emit_code(c, output, &code, t)
                      : code_generate(&code, t) && link_program(c, o, output, program, &code, t);
    code_free(&code);
    return ok;
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
    if (o.command == COMMAND_DOCTOR) {
        int status = doctor_run(&c);
        compiler_free(&c);
        return status;
    }
    if (o.command == COMMAND_REPL) {
        int status = repl_run(&(ReplOptions){.file = o.input, .march = o.march, .archs = &o.archs,
                                             .opt_level = o.opt_level, .strict = o.strict, .colour = o.colour});
        compiler_free(&c);
        return status;
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
