/* main.c -- kdslc: the driver. `compile` is the list of stages, in order; each is one call of the room that implements
 * it, and each later stage sees only what the earlier ones accepted. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/base.h"
#include "driver/doctor.h"
#include "driver/format.h"
#include "driver/generate.h"
#include "driver/grade/grade.h"
#include "driver/json.h"
#include "driver/link.h"
#include "driver/meant.h"
#include "driver/options.h"
#include "driver/output.h"
#include "driver/page.h"
#include "driver/profile.h"
#include "driver/report.h"
#include "driver/results.h"
#include "driver/stdlib.h"
#include "driver/timing.h"
#include "driver/told.h"
#include "interp/interp.h"
#include "irgen/irgen.h"
#include "lexer/lexer.h"
#include "jupyter/jupyter.h"
#include "lsp/lsp.h"
#include "offload/offload.h"
#include "parser/ast.h"
#include "repl/repl.h"
#include "sema/sema.h"

/* The state of a compilation. */
typedef struct Job {
    Compiler *c;
    Options *o;
    const char *output; /* the file to write, "-" for standard output */
    Times *t;
    Source *source;
    Module *module;
    Program *program;
} Job;

static bool is_ptx(const Piece *m) { return m->target && !strcmp(m->target, "nvptx"); }

/* Prints the text, and frees it. */
static bool write_text(const Job *j, Buf *text) {
    bool ok = output_text(j->c, j->output, text->n ? text->at : "", text->n);
    buf_free(text);
    times_stage(j->t, "write");
    return ok;
}

/* --emit=llvm, asm and their device- versions; one text after the other where there are several versions. */
static bool emit_code(Job *j) {
    Code code = code_plan(&j->c->arena, j->program, j->o);
    bool ok = code_generate(&code, j->t);
    Buf text = {0};
    for (int i = 0; ok && i < code.n; i++) {
        const IrResult *r = &code.at[i].result;
        const char *comment = r->text ? ";" : is_ptx(&code.at[i]) ? "//" : "#";
        if (code.n > 1) buf_printf(&text, "%s %s\n", comment, code.at[i].options.march);
        buf_puts(&text, r->text ? r->text : r->assembly);
    }
    code_free(&code);
    return ok && write_text(j, &text);
}

static bool runs_program(const Options *o) {
    return o->command == COMMAND_RUN || o->command == COMMAND_TEST || o->command == COMMAND_PROFILE;
}

static bool emit_tree(const Job *j, bool types) {
    Buf text = {0};
    ast_dump(j->c, j->module, types, &text);
    return write_text(j, &text);
}

static bool emit_ast(Job *j) { return emit_tree(j, false); }
static bool emit_checked(Job *j) { return emit_tree(j, true); }
static bool emit_header(Job *j) { return output_header(j->c, j->program, j->output); }

/* A text that is made from the checked program alone. */
static bool tell(const Job *j, void (*what)(const Program *, Buf *)) {
    Buf text = {0};
    what(j->program, &text);
    return write_text(j, &text);
}

static bool emit_html(Job *j) {
    Buf text = {0};
    if (page_write(j->program, j->o, j->t, &text)) return write_text(j, &text);
    buf_free(&text);
    return false;
}

static bool emit_interface(Job *j) { return tell(j, interface_as_json); }
static bool emit_transfer_plan(Job *j) { return tell(j, emit_plan); }
static bool tell_bounds(Job *j) { return tell(j, j->o->format == FORMAT_JSON ? bounds_as_json : explain_bounds); }
static bool tell_races(Job *j) { return tell(j, j->o->format == FORMAT_JSON ? races_as_json : explain_races); }
static bool tell_transfers(Job *j) {
    return tell(j, j->o->format == FORMAT_JSON ? transfers_as_json : explain_transfers);
}

static bool tell_vector(Job *j) {
    const Program *p = j->program;
    IrResult result;
    Buf text = {0};
    bool ok = told_vector(p, j->o, &result);
    if (ok && j->o->format == FORMAT_JSON) vector_as_json(p, result.vector, &text);
    else if (ok) vector_notes_print(result.vector, &text);
    for (int i = 0; j->o->format != FORMAT_JSON && i < p->funcs.n; i++)
        if (p->funcs.at[i]->is_kernel) explain_combined(p->funcs.at[i], &text);
    ir_result_free(&result);
    return ok && write_text(j, &text);
}

static bool tell_launch(Job *j) {
    LaunchKernels kernels;
    Buf text = {0};
    if (!told_launch(j->program, j->o, true, j->t, &kernels)) return false;
    if (j->o->format == FORMAT_JSON) launch_as_json(&kernels, &text);
    else launch_kernels_print(&kernels, &text);
    return write_text(j, &text);
}

/* The target is that of --offload-arch, if it names one GPU, else the x86 device. */
static bool run_pass(Compiler *c, const Options *o, const Source *source, const char *output) {
    bool gpu = archs_have_gpu(&o->archs);
    IrOptions options = {
        .opt_level = o->opt_level, .march = gpu ? o->archs.at[0].cpu : o->march, .vector_always = o->vector_always};
    Buf text = {0};
    bool ok = irgen_run_pass(o->run_pass, gpu ? o->archs.at[0].target : "x86", &options, source->text, source->n,
                             source->path, &text);
    if (ok) ok = output_text(c, output, text.at, text.n);
    else diag(c, E1002, (Span){0}, "cannot run pass `%s` on `%s`: %s", o->run_pass, o->input, text.at);
    buf_free(&text);
    return ok;
}

static bool emit_tokens(Job *j) {
    Buf text = {0};
    lex_dump(j->c, j->source, &text);
    times_stage(j->t, "lex");
    if (!j->c->diags.n_errors) return write_text(j, &text);
    buf_free(&text);
    return false;
}

typedef enum Stage { STAGE_READ = 1, STAGE_PARSED, STAGE_CHECKED } Stage;

static const struct {
    Stage after;
    bool (*run)(Job *);
} emits[] = {
    [EMIT_NONE] = {0},
#define EMIT(id, name, stage, function, help) [EMIT_##id] = {STAGE_##stage, function},
#include "driver/options.def"
};

static bool (*const explains[])(Job *) = {
    [EXPLAIN_NONE] = NULL,
#define EXPLAIN(id, name, function, help) [EXPLAIN_##id] = function,
#include "driver/options.def"
};

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

/* On a terminal: the command that explains the first error. */
static void mention_explain(const Compiler *c, Buf *said) {
    for (int i = 0; i < c->diags.list.n; i++) {
        const Diag *d = c->diags.list.at[i];
        if (d->severity != SEV_ERROR) continue;
        buf_printf(said, "(for details: `kdslc explain %s`)\n", diag_code_name(d->code));
        return;
    }
}

/* `kdslc run blas.kdsl -lopenblas`: the program would have got it. */
static void mention_misplaced(const Options *o, Buf *said) {
    const char *word = options_misplaced(o);
    if (word)
        buf_printf(said, "(`%s` comes after the file, so it is for the program; for the compiler: `kdslc run %s %s`)\n",
                   word, word, o->input);
}

/* `kdslc run blas.kdsl -O3` compiles with -O2. */
static void note_misplaced(const Options *o) {
    const char *word = options_likely_misplaced(o), *command = o->command == COMMAND_PROFILE ? "profile" : "run";
    if (word && o->format == FORMAT_TEXT)
        fprintf(stderr,
                "kdslc: note: `%s` comes after the file, so it is for the program; for the compiler: `kdslc %s %s %s`; "
                "without this note: `kdslc %s -- %s %s`\n",
                word, command, word, o->input, command, o->input, word);
}

static int finish(Compiler *c, const Options *o, bool ok, Times *t) {
    Buf said = {0};
    /* What follows is the program's; or the format is that of an explanation. */
    bool is_plain = o->explain || (runs_program(o) && !c->diags.list.n);
    switch (is_plain ? FORMAT_TEXT : o->format) {
    case FORMAT_JSON: diags_as_json(c, &said); break;
    case FORMAT_SARIF: diags_as_sarif(c, &said); break;
    case FORMAT_TEXT:
    case FORMAT_JUNIT:
    case FORMAT__COUNT:
        diags_print(c, &said, o->colour);
        if (o->colour && isatty(STDERR_FILENO)) mention_explain(c, &said);
        if (!ok) mention_misplaced(o, &said);
        break;
    }
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
    InterpOptions how = {.args = o->program_args, .n_args = o->n_program_args, .unchecked = o->unchecked,
                         .colour = o->colour};
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

static void add_for_make(Buf *b, const char *path) {
    for (; *path; path++) {
        if (strchr(" #", *path)) buf_putc(b, '\\');
        if (*path == '$') buf_putc(b, '$');
        buf_putc(b, *path);
    }
}

/* -MD, -MF: the output depends on the source and its modules. */
static bool write_dependencies(Compiler *c, const Options *o, const char *output) {
    const char *file = o->dependencies;
    if (!file) return true;
    if (!*file) {
        const char *slash = strrchr(output, '/'), *dot = strrchr(output, '.');
        int n = (int)(dot && dot > (slash ? slash : output) ? (size_t)(dot - output) : strlen(output));
        file = arena_printf(&c->arena, "%.*s.d", n, output);
    }
    Buf b = {0};
    add_for_make(&b, output);
    buf_putc(&b, ':');
    for (int i = 0; i < c->sources.files.n; i++) {
        const char *path = c->sources.files.at[i]->path;
        if (*path == '<') continue; /* in the compiler, or standard input */
        buf_puts(&b, " \\\n  ");
        add_for_make(&b, path);
    }
    buf_putc(&b, '\n');
    bool ok = output_text(c, file, b.at, b.n);
    buf_free(&b);
    return ok;
}

static Program *check(const Job *j) {
    const Options *o = j->o;
    bool tests = o->command == COMMAND_TEST, strict = o->strict;
    bool makes_code = o->command != COMMAND_CHECK && !o->emit && !o->explain;
    bool makes_program = makes_code && !o->object && !o->shared;
    bool races_later = makes_code && o->command != COMMAND_INTERPRET && !o->warnings_are_errors;
    if (o->command == COMMAND_INTERPRET) strict = strict || !irgen_host_fuses(o->march);
    SemaOptions how = {.stdlib = stdlib_modules, .need_main = makes_program && !tests, .run_tests = tests,
                       .is_library = o->object || o->shared || o->emit == EMIT_HEADER,
                       .transfers_each = o->transfers_each, .races_strict = o->races_strict, .races_off = o->races_off,
                       .shadow = o->shadow,
                       .races_listed = o->explain == EXPLAIN_RACES,
                       .races_timed = o->time_report, .races_later = races_later,
                       .strict = strict, .fast = o->fast,
                       .host_fuses = irgen_host_fuses, .march = o->march};
    Program *checked = sema_check(j->c, j->module, &how);
    off_check_exports(j->c, checked);
    times_stage(j->t, "check");
    return checked;
}

/* While code is generated, because code does not depend on it. */
static bool find_races(void *context) {
    const Job *job = context;
    double begun = times_now();
    bool ok = sema_find_races(job->program);
    times_part(job->t, "check", "races", times_now() - begun);
    return ok;
}

/* What sema_check left. */
static bool check_races(const Job *job) {
    sema_find_races(job->program);
    sema_tell_races(job->program);
    return accepted(job->c, job->o);
}

/* The compiler, from source to result; `run` returns *program. */
static bool compile(Compiler *c, Options *o, const char *output, Blob *program, Times *t) {
    const char *why;
    Job job = {.c = c, .o = o, .output = output, .t = t};
    job.source = source_read(&c->sources, o->input, SOURCE_ANY, &why);
    if (!job.source) {
        report_unreadable(c, o->input, why);
        return false;
    }
    if (!read_nest_plan(c, o)) return false;
    times_stage(t, "read");
    if (o->run_pass) return run_pass(c, o, job.source, output);
    if (emits[o->emit].after == STAGE_READ) return emits[o->emit].run(&job);

    job.module = parse_source(c, job.source, NULL);
    times_stage(t, "parse");
    if (c->diags.n_errors) {
        sema_check_rest(c, job.module, &(SemaOptions){.stdlib = stdlib_modules});
        return false;
    }
    if (emits[o->emit].after == STAGE_PARSED) return emits[o->emit].run(&job);

    job.program = check(&job);
    if (!accepted(c, o)) return check_races(&job);
    if (o->explain) return explains[o->explain](&job);
    if (o->emit) return emits[o->emit].run(&job) && write_dependencies(c, o, output);
    if (o->command == COMMAND_CHECK) return true;
    if (o->command == COMMAND_INTERPRET) {
        finish(c, o, true, t); /* the warnings */
        exit(interpret(job.program, o));
    }

    Code code = code_plan(&c->arena, job.program, o);
    Blob *in_memory = runs_program(o) ? program : NULL;
    bool is_complete = code_generate_beside(&code, t, find_races, &job);
    sema_tell_races(job.program);
    bool ok = accepted(c, o) && is_complete && link_program(job.program, o, &code, output, in_memory, t) &&
              write_dependencies(c, o, output) && (!o->header || output_header(c, job.program, o->header));
    code_free(&code);
    return ok;
}

/* With backslashes where a shell needs them, as pkg-config prints flags. */
static void print_flag(const char *at, const char *end) {
    for (; at < end; at++) {
        if (strchr(" \t\"'\\$`&|;<>()*?[]#~", *at)) putchar('\\');
        putchar(*at);
    }
}

/* The symbol is for libomp (runtime/start.c), as in offload/link.c. */
static int print_link_flags(Compiler *c) {
    const char *name, *path = off_find_omptarget(c, &name);
    if (!path) {
        fprintf(stderr, "kdslc: error[E1022]: `%s` was not found: install the Debian package liboffload-22\n", name);
        return KDSLC_DIAGNOSTICS;
    }
    const char *end = strrchr(path, '/');
    bool is_system = !strncmp(path, "/usr/lib/", 9) || !strncmp(path, "/lib/", 5);
    fputs("-Wl,--export-dynamic-symbol=ompt_start_tool ", stdout);
    print_flag(path, path + strlen(path));
    if (!is_system) {
        fputs(" -Wl,-rpath,", stdout);
        print_flag(path, end);
    }
    puts(" -lm");
    return fflush(stdout) ? KDSLC_DIAGNOSTICS : KDSLC_OK;
}

/* --html: the source again, with the timeline that the run has left. */
static bool write_page(const Options *o, const char *timeline) {
    Compiler c;
    Times t = {0};
    Blob program = {0};
    Options page = *o;
    struct stat st;
    compiler_init(&c);
    page.command = COMMAND_BUILD;
    page.emit = EMIT_HTML;
    page.format = FORMAT_TEXT;
    page.trace = stat(timeline, &st) || !st.st_size ? NULL : timeline; /* a run that a signal ended leaves none */
    bool ok = compile(&c, &page, o->html, &program, &t);
    if (!ok) finish(&c, &page, false, &t);
    compiler_free(&c);
    return ok;
}

static int profile(Compiler *c, Blob program, Options *o) {
    char own[] = "/tmp/kdslc-timeline-XXXXXX";
    int fd = o->html && !o->trace ? mkstemp(own) : -1;
    if (fd >= 0) o->trace = own;
    int status = profile_run(c, program, o);
    if (status >= 0 && o->html && !write_page(o, o->trace ? o->trace : "")) status = KDSLC_DIAGNOSTICS;
    if (fd >= 0) close(fd), unlink(own);
    return status;
}

/* As `kdslc check` does it. */
static Program *check_for_editor(Compiler *c, Module *m, bool with_races, Memo *memo) {
    SemaOptions how = {.stdlib = stdlib_modules, .races_off = !with_races, .host_fuses = irgen_host_fuses,
                       .march = "native", .memo = memo};
    if (c->diags.n_errors) {
        sema_check_rest(c, m, &how);
        return NULL;
    }
    Program *checked = sema_check(c, m, &how);
    off_check_exports(c, checked);
    return checked;
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
    if (o.print_link_flags) {
        int status = print_link_flags(&c);
        compiler_free(&c);
        return status;
    }
    if (o.command == COMMAND_LSP) {
        compiler_free(&c);
        return lsp_serve(STDIN_FILENO, STDOUT_FILENO, check_for_editor);
    }
    if (o.command == COMMAND_FMT) {
        int status = finish(&c, &o, format_files(&c, &o), &t);
        compiler_free(&c);
        return status;
    }
    if (o.command == COMMAND_GRADE) {
        int status = grade_run(&c, &o);
        if (status < 0) status = finish(&c, &o, false, &t);
        compiler_free(&c);
        return status;
    }
    if (o.command == COMMAND_REPL && o.input && access(o.input, R_OK)) {
        report_unreadable(&c, o.input, strerror(errno));
        int status = finish(&c, &o, false, &t);
        compiler_free(&c);
        return status;
    }
    ReplOptions session = {.file = o.input,
                           .march = o.march,
                           .archs = &o.archs,
                           .opt_level = o.opt_level,
                           .strict = o.strict, .fast = o.fast,
                           .shadow = o.shadow,
                           .colour = o.colour};
    if (o.command == COMMAND_JUPYTER) {
        int status = o.install ? jupyter_install(o.install) : jupyter_serve(o.input, &session);
        compiler_free(&c);
        return status;
    }
    if (o.command == COMMAND_REPL) {
        int status = repl_run(&session);
        compiler_free(&c);
        return status;
    }
    const char *output = o.command == COMMAND_BUILD ? output_name(&c, &o) : "";
    bool ok = output && compile(&c, &o, output, &program, &t);
    int status = finish(&c, &o, ok, &t);
    if (ok && o.timeout) setenv("KDSL_TEST_TIMEOUT", o.timeout, 1);
    bool is_for_tools = o.command == COMMAND_TEST && (o.format == FORMAT_JSON || o.format == FORMAT_JUNIT);
    if (ok && is_for_tools) {
        status = results_run(&c, program, &o);
        if (status < 0) status = finish(&c, &o, false, &t);
    } else if (ok && o.command == COMMAND_PROFILE) {
        note_misplaced(&o);
        status = profile(&c, program, &o);
        if (status < 0) status = finish(&c, &o, false, &t);
    } else if (ok && runs_program(&o)) {
        note_misplaced(&o);
        output_execute(&c, program, &o); /* comes back only on failure */
        status = finish(&c, &o, false, &t);
    }
    blob_free(&program);
    compiler_free(&c);
    return status;
}
