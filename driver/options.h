/* options.h -- the options of a compilation, parsed by the table in options.def. Usage errors are reported there. */
#ifndef KDSL_OPTIONS_H
#define KDSL_OPTIONS_H

#include <stdbool.h>

#include "base/base.h"
#include "driver/arch.h"
#include "irgen/transform.h"
#include "runtime/runtime.h"

typedef enum Command {
#define COMMAND(id, name, arguments, help) COMMAND_##id,
#include "driver/options.def"
    COMMAND__COUNT
} Command;

typedef enum Emit {
    EMIT_NONE,
#define EMIT(id, ...) EMIT_##id,
#include "driver/options.def"
    EMIT__COUNT
} Emit;
typedef enum Explain {
    EXPLAIN_NONE,
#define EXPLAIN(id, ...) EXPLAIN_##id,
#include "driver/options.def"
    EXPLAIN__COUNT
} Explain;

typedef enum Format { FORMAT_TEXT, FORMAT_JSON, FORMAT_SARIF, FORMAT_JUNIT, FORMAT__COUNT } Format;

/* kdslc's exit codes; docs/cli.md explains them. */
enum { KDSLC_OK = 0, KDSLC_DIAGNOSTICS = 1, KDSLC_USAGE = 2 };

typedef struct Options {
    Command command;
    Emit emit;
    const char *input;
    const char **inputs; /* fmt: all files */
    int n_inputs;
    bool check_format, diff;
    const char *output; /* as written, or NULL */
    const char *march;         /* of the host, and of the device where there is one version of it */
    const char **levels;       /* of a device's versions, lowest first */
    int n_levels;              /* 0: one version */
    Archs archs;
    int opt_level;
    unsigned shadow;           /* --check: bits of ShadowCheck (sema/sema.h) */
    bool unchecked, scalar, vector_always, strict, fast;
    const char *run_pass;      /* the input is LLVM IR: run this pass on it and print it (irgen/pass.def); NULL: no */
    const char *print_before;  /* --emit prints the module as this pass gets it (irgen/pass.def); NULL: after all
                                * passes */
    bool verify_each;          /* check modules after each pass; also set by KDSL_VERIFY_EACH in the environment */
    TransformSet omitted;      /* --no-transform */
    const char *nest_plan;     /* --nest-plan: a file; once it is read, its text; NULL: none */
    const char *without;       /* a check or copy to leave out, or NULL */
    Explain explain;
    KdslMemoryKind memory; /* --memory */
    Format format;
    const char *install; /* jupyter: write the kernelspec under this prefix, "" for the user; or NULL */
    const char *header;  /* -c, --shared: also the C declarations, or NULL */
    const char *html;    /* profile: also the page of the run, or NULL */
    const char *trace;   /* a timeline: profile writes it, --emit=html shows it; or NULL */
    const char *timeout; /* test: seconds for each, or NULL */
    bool transfers_each, races_strict, races_off;
    const char **libraries, **folders; /* -l, -L: as written, in order */
    int n_libraries, n_folders;
    const char *dependencies; /* -MF: a file; "" (-MD): beside the output; NULL: none */
    bool print_link_flags;
    bool object, shared, debug, time_report, warnings_are_errors, colour, no_colour;
    char **program_args; /* run: what follows the source file, ended by NULL; test: the filter */
    int n_program_args;
    bool after_dashes; /* the source file comes after `--` */
} Options;

/* Fill *o; lists live in the arena. Returns -1 to go on; otherwise the exit code: all is said (--help, --version or a
 * usage error). */
int options_parse(Options *o, Arena *arena, int argc, char **argv);

/* An argument of the program that is spelled like an option of the compiler, which goes before the file; or NULL. */
const char *options_misplaced(const Options *o);

/* One that says how a program is compiled, which few programs have as well, without `--` before it; or NULL. */
const char *options_likely_misplaced(const Options *o);

#endif
