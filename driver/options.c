/* options.c -- parsing of the command line. The table in options.def is the source of parsing, --help and spelling
 * suggestions, so that they agree. */
#include "driver/options.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/base.h"
#include "driver/explain.h"
#include "driver/meant.h"
#include "driver/output.h"
#include "driver/pages.h"
#include "driver/table.h"
#include "irgen/irgen.h"

enum { NOT_DONE = -1 };

static int usage_error(const char *format, ...) __attribute__((format(printf, 1, 2)));
static int usage_error(const char *format, ...) {
    va_list ap;
    va_start(ap, format);
    fputs("kdslc: error: ", stderr);
    vfprintf(stderr, format, ap);
    fputs("\n(see kdslc --help)\n", stderr);
    va_end(ap);
    return KDSLC_USAGE;
}

static int print_and_end(const char *text, size_t n) {
    if (write_fully(STDOUT_FILENO, text, n)) return KDSLC_OK;
    fprintf(stderr, "kdslc: error[E1003]: cannot write standard output: %s\n", strerror(errno));
    return KDSLC_DIAGNOSTICS;
}

static int print_page(void (*make)(Buf *out, Level most), Level most) {
    Buf b = {0};
    make(&b, most);
    int status = print_and_end(b.at, b.n);
    buf_free(&b);
    return status;
}

static int print_completion(const char *shell) {
    Buf b = {0};
    bool known = completion_page(&b, shell);
    int status = known ? print_and_end(b.at, b.n)
                       : usage_error("--completion is for `bash`, `zsh` and `fish`, not `%s`", shell);
    buf_free(&b);
    return status;
}

static int print_version(void) {
    static const char text[] = "kdslc " KDSL_VERSION " (LLVM " KDSL_LLVM_VERSION ")\n";
    return print_and_end(text, sizeof text - 1);
}

/* The row of --emit or --explain whose name is nearest, at most meant_typos away; 0: none. */
static int nearest_row(const WordRow *rows, int n, const char *word, int *distance) {
    int best = 0;
    *distance = meant_typos(word) + 1;
    for (int i = 1; i < n; i++) {
        int d = edit_distance(word, rows[i].name, *distance);
        if (d < *distance) best = i, *distance = d;
    }
    return best;
}

/* "`bounds`, `launch` or `races`" */
static const char *row_names(Arena *arena, const WordRow *rows, int n) {
    const char *names = "";
    for (int i = 1; i < n; i++)
        names = arena_printf(arena, "%s%s`%s`", names, i == 1 ? "" : i == n - 1 ? " or " : ", ", rows[i].name);
    return names;
}

static int parse_emit(Options *o, Arena *arena, const char *value) {
    int distance, best = nearest_row(emit_rows, EMIT__COUNT, value, &distance);
    const char *meant = meant_by(MEANT_EMIT, value);
    if (best && !distance) {
        o->emit = (Emit)best;
        return NOT_DONE;
    }
    if (meant) return usage_error("cannot emit `%s`%s", value, meant);
    if (best) return usage_error("cannot emit `%s`; did you mean `%s`?", value, emit_rows[best].name);
    return usage_error("cannot emit `%s`: use %s", value, row_names(arena, emit_rows, EMIT__COUNT));
}

/* `301`, `W502`, `E0502` where only W0502 exists: the code with this number; NULL: none. */
static const char *meant_code(Arena *arena, const char *word) {
    const char *digits = word + (*word && strchr("EWew", *word) ? 1 : 0);
    size_t n = strlen(digits);
    if (!n || n > 4 || strspn(digits, "0123456789") != n) return NULL;
    for (int i = 0; i < 2; i++) {
        bool warning_first = *word == 'W' || *word == 'w';
        const char *code = arena_printf(arena, "%c%04d", (i == 0) == warning_first ? 'W' : 'E', atoi(digits));
        Buf text = {0};
        bool exists = explain_code(code, &text);
        buf_free(&text);
        if (exists) return code;
    }
    return NULL;
}

static int explain_diagnostic(Arena *arena, const char *code) {
    if (!code) return usage_error("`kdslc explain` needs a code, as in `kdslc explain E0301`");
    Buf b = {0};
    int distance, status = KDSLC_USAGE, row = nearest_row(explain_rows, EXPLAIN__COUNT, code, &distance);
    const char *meant = meant_code(arena, code), *by_meaning = meant_by(MEANT_EXPLAIN, code);
    if (is_diagnostic_code(code) && explain_code(code, &b)) status = print_and_end(b.at, b.n);
    else if (meant) usage_error("unknown diagnostic `%s`; did you mean `%s`?", code, meant);
    else if (by_meaning) usage_error("cannot explain `%s`%s", code, by_meaning);
    else if (row) usage_error("cannot explain `%s`; did you mean `%s`?", code, explain_rows[row].name);
    else if (is_diagnostic_code(code)) usage_error("unknown diagnostic `%s`", code);
    else usage_error("cannot explain `%s`: use a code such as E0301, or %s", code,
                     row_names(arena, explain_rows, EXPLAIN__COUNT));
    buf_free(&b);
    return status;
}

static int parse_explain(Options *o, Arena *arena, const char *value) {
    if (is_diagnostic_code(value)) return explain_diagnostic(arena, value);
    int distance, best = nearest_row(explain_rows, EXPLAIN__COUNT, value, &distance);
    const char *meant = meant_by(MEANT_EXPLAIN, value), *code = meant_code(arena, value);
    if (best && !distance) {
        o->explain = (Explain)best;
        return NOT_DONE;
    }
    if (code) return usage_error("unknown diagnostic `%s`; did you mean `%s`?", value, code);
    if (meant) return usage_error("--explain cannot be `%s`%s", value, meant);
    if (best) return usage_error("--explain cannot be `%s`; did you mean `%s`?", value, explain_rows[best].name);
    return usage_error("--explain must be %s, not `%s`", row_names(arena, explain_rows, EXPLAIN__COUNT), value);
}

static bool is_explained(const char *name) {
    for (int i = EXPLAIN_NONE + 1; i < EXPLAIN__COUNT; i++)
        if (!strcmp(name, explain_rows[i].name)) return true;
    return false;
}

static const char portable[] = "x86-64-v2,x86-64-v3,x86-64-v4";

static int unknown_cpu(const char *name) {
    const char *best = "portable", *meant = meant_by(MEANT_CPU, name);
    int most = meant_typos(name), best_distance = edit_distance(name, best, most);
    int distance = edit_distance(name, "native", most);
    if (meant) return usage_error("unknown 64-bit x86 CPU `%s`%s", name, meant);
    if (distance < best_distance) best = "native", best_distance = distance;
    for (int i = 1; irgen_cpu_level_name(i); i++) {
        const char *level = irgen_cpu_level_name(i);
        distance = edit_distance(name, level, most);
        if (distance <= best_distance) best = level, best_distance = distance; /* of two as near, the higher */
    }
    if (best_distance > most) return usage_error("unknown 64-bit x86 CPU `%s`", name);
    return usage_error("unknown 64-bit x86 CPU `%s`; did you mean `%s`?", name, best);
}

/* One of several versions must be a level, because the processor is tested for levels at run time. */
static int parse_level(const char *name, bool *wanted) {
    int level = irgen_cpu_level(name);
    if (!level && irgen_knows_cpu(name))
        return usage_error("a list for --march needs levels from x86-64 to x86-64-v4, not `%s`",
                           name);
    if (!level) return unknown_cpu(name);
    if (wanted[level]) return usage_error("`%s` is listed twice", name);
    wanted[level] = true;
    return NOT_DONE;
}

static int parse_march(Options *o, Arena *arena, const char *value) {
    if (!strcmp(value, "portable")) value = portable;
    o->n_levels = 0;
    if (!strchr(value, ',')) {
        o->march = value;
        return irgen_knows_cpu(value) ? NOT_DONE : unknown_cpu(value);
    }
    enum { MAX_LEVELS = 16 };
    bool wanted[MAX_LEVELS] = {0};
    for (const char *at = value; at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL) {
        int result = parse_level(arena_strndup(arena, at, strcspn(at, ",")), wanted);
        if (result != NOT_DONE) return result;
    }
    o->levels = arena_array(arena, const char *, MAX_LEVELS);
    for (int i = 1; i < MAX_LEVELS; i++)
        if (wanted[i]) o->levels[o->n_levels++] = irgen_cpu_level_name(i);
    o->march = o->levels[0];
    return NOT_DONE;
}

static int parse_arch(Options *o, Arena *arena, const char *list) {
    const char *why;
    return archs_parse(&o->archs, arena, list, &why) ? NOT_DONE : usage_error("%s", why);
}

static int parse_colour(Options *o, const char *value) {
    if (!strcmp(value, "always")) o->colour = true;
    else if (!strcmp(value, "never")) o->colour = false, o->no_colour = true;
    else if (strcmp(value, "auto")) return usage_error("--color must be `auto`, `always` or `never`, not `%s`", value);
    return NOT_DONE;
}

static int parse_memory(Options *o, const char *value) {
    if (!strcmp(value, "auto")) o->memory = KDSL_MEMORY_AUTO;
    else if (!strcmp(value, "separate")) o->memory = KDSL_MEMORY_SEPARATE;
    else if (!strcmp(value, "unified")) o->memory = KDSL_MEMORY_UNIFIED;
    else return usage_error("--memory must be `auto`, `separate` or `unified`, not `%s`", value);
    return NOT_DONE;
}

static const char *const formats[] = {
    [FORMAT_TEXT] = "text", [FORMAT_JSON] = "json", [FORMAT_SARIF] = "sarif", [FORMAT_JUNIT] = "junit"};

static int parse_format(Options *o, const char *value) {
    for (int i = 0; i < FORMAT__COUNT; i++) {
        if (strcmp(value, formats[i])) continue;
        o->format = (Format)i;
        return NOT_DONE;
    }
    return usage_error("--format must be `text`, `json`, `sarif` or `junit`, not `%s`", value);
}

static int parse_timeout(Options *o, const char *value) {
    char *end;
    double seconds = strtod(value, &end);
    if (end == value || *end || !(seconds > 0) || seconds > 1e6)
        return usage_error("--timeout needs a number of seconds above 0, not `%s`", value);
    o->timeout = value;
    return NOT_DONE;
}

static int parse_races(Options *o, const char *value) {
    if (strcmp(value, "auto") && strcmp(value, "strict") && strcmp(value, "off"))
        return usage_error("--races must be `auto`, `strict` or `off`, not `%s`", value);
    o->races_strict = !strcmp(value, "strict");
    o->races_off = !strcmp(value, "off");
    return NOT_DONE;
}

static int parse_transfers(Options *o, const char *value) {
    if (strcmp(value, "each") && strcmp(value, "plan"))
        return usage_error("--transfers must be `plan` or `each`, not `%s`", value);
    o->transfers_each = !strcmp(value, "each");
    return NOT_DONE;
}

static int parse_checks(Options *o, const char *value) {
    if (shadow_checks(value, &o->shadow)) return NOT_DONE;
    return usage_error("--check must be a list of `race`, `init` and `bounds`, not `%s`", value);
}

static int parse_fp(Options *o, const char *value) {
    if (strcmp(value, "fused") && strcmp(value, "strict") && strcmp(value, "fast"))
        return usage_error("--fp must be `fused`, `strict` or `fast`, not `%s`", value);
    o->strict = !strcmp(value, "strict");
    o->fast = !strcmp(value, "fast");
    return NOT_DONE;
}

static int parse_vector(Options *o, const char *value) {
    if (strcmp(value, "auto") && strcmp(value, "off") && strcmp(value, "always"))
        return usage_error("--vector must be `auto`, `off` or `always`, not `%s`", value);
    o->scalar = !strcmp(value, "off");
    o->vector_always = !strcmp(value, "always");
    return NOT_DONE;
}

static int parse_no_transform(Options *o, const char *value) {
    if (transform_parse(value, &o->omitted)) return NOT_DONE;
    Buf list = {0};
    transform_list(&list);
    bool asked = !strcmp(value, "list");
    if (asked) fputs(list.at, stdout);
    buf_free(&list);
    if (asked) return 0;
    return usage_error("--no-transform: unknown transformation in `%s`; --no-transform=list lists them", value);
}

/* The name of a pass, or `list`, which needs no source file. */
static int parse_pass(const char *value, const char **pass) {
    *pass = value;
    if (irgen_has_pass(value)) return NOT_DONE;
    if (strcmp(value, "list")) return usage_error("there is no pass `%s`; --run-pass=list lists them", value);
    Buf list = {0};
    irgen_list_passes(&list);
    int status = print_and_end(list.at, list.n);
    buf_free(&list);
    return status;
}

static int apply(Options *o, Arena *arena, OptionId id, const char *value) {
    switch (id) {
    case OPTION_OUTPUT: o->output = value; return NOT_DONE;
    case OPTION_OBJECT: o->object = true; return NOT_DONE;
    case OPTION_SHARED: o->shared = true; return NOT_DONE;
    case OPTION_LIBRARY: o->libraries[o->n_libraries++] = value; return NOT_DONE;
    case OPTION_FOLDER: o->folders[o->n_folders++] = value; return NOT_DONE;
    case OPTION_O0:
    case OPTION_O1:
    case OPTION_O2:
    case OPTION_O3: o->opt_level = (int)(id - OPTION_O0); return NOT_DONE;
    case OPTION_DEBUG: o->debug = true; return NOT_DONE;
    case OPTION_UNCHECKED: o->unchecked = true; return NOT_DONE;
    case OPTION_FORMAT: return parse_format(o, value);
    case OPTION_TIMEOUT: return parse_timeout(o, value);
    case OPTION_MEMORY: return parse_memory(o, value);
    case OPTION_TRANSFERS: return parse_transfers(o, value);
    case OPTION_RACES: return parse_races(o, value);
    case OPTION_EXPLAIN: return parse_explain(o, arena, value);
    case OPTION_FP: return parse_fp(o, value);
    case OPTION_WITHOUT: o->without = value; return NOT_DONE;
    case OPTION_NEST_PLAN: o->nest_plan = value; return NOT_DONE;
    case OPTION_NO_TRANSFORM: return parse_no_transform(o, value);
    case OPTION_RUN_PASS: return parse_pass(value, &o->run_pass);
    case OPTION_PRINT_BEFORE: return parse_pass(value, &o->print_before);
    case OPTION_VERIFY_EACH: o->verify_each = true; return NOT_DONE;
    case OPTION_CHECK_FORMAT: o->check_format = true; return NOT_DONE;
    case OPTION_DIFF: o->diff = true; return NOT_DONE;
    case OPTION_CHECKS: return parse_checks(o, value);
    case OPTION_VECTOR: return parse_vector(o, value);
    case OPTION_MARCH: return parse_march(o, arena, value);
    case OPTION_ARCH: return parse_arch(o, arena, value);
    case OPTION_EMIT: return parse_emit(o, arena, value);
    case OPTION_HEADER: o->header = value; return NOT_DONE;
    case OPTION_INSTALL: o->install = ""; return NOT_DONE;
    case OPTION_INSTALL_INTO: o->install = value; return NOT_DONE;
    case OPTION_HTML: o->html = value; return NOT_DONE;
    case OPTION_TRACE: o->trace = value; return NOT_DONE;
    case OPTION_TIME_REPORT: o->time_report = true; return NOT_DONE;
    case OPTION_WERROR: o->warnings_are_errors = true; return NOT_DONE;
    case OPTION_COLOR: return parse_colour(o, value);
    case OPTION_HELP_SHORT:
    case OPTION_HELP: return print_page(help_page, LEVEL_BASIC);
    case OPTION_HELP_ALL: return print_page(help_page, LEVEL_MORE);
    case OPTION_MAN: return print_page(manual_page, LEVEL_MORE);
    case OPTION_COMPLETION: return print_completion(value);
    case OPTION_LINK_FLAGS: o->print_link_flags = true; return NOT_DONE;
    case OPTION_DEPENDENCIES: o->dependencies = o->dependencies ? o->dependencies : ""; return NOT_DONE;
    case OPTION_DEPENDENCY_FILE: o->dependencies = value; return NOT_DONE;
    case OPTION_VERSION: return print_version();
    case OPTION__COUNT: break;
    }
    return NOT_DONE;
}

static int unknown_option(const char *word) {
    char spelling[64];
    const char *meant = meant_by(MEANT_OPTION, word);
    if (meant) return usage_error("unknown option `%s`%s", word, meant);
    snprintf(spelling, sizeof spelling, "%.*s", (int)strcspn(word, "="), word);
    int best = -1, best_distance = meant_typos(spelling) + 1;
    for (int i = 0; i < OPTION__COUNT; i++) {
        if (option_rows[i].level == LEVEL_TESTS) continue;
        int distance = edit_distance(spelling, option_rows[i].spelling, best_distance);
        if (distance < best_distance) best = i, best_distance = distance;
    }
    return best < 0 ? usage_error("unknown option `%s`", word)
                    : usage_error("unknown option `%s`; did you mean `%s`?", word, option_rows[best].spelling);
}

/* --check is an option, and --check=LIST is another one. */
static bool has_value_elsewhere(int row) {
    for (int i = 0; i < OPTION__COUNT; i++)
        if (*option_rows[i].value && !strcmp(option_rows[i].spelling, option_rows[row].spelling)) return true;
    return false;
}

/* Parses the option at argv[*at]; *at becomes the last word that the option uses. */
static int parse_option(Options *o, Arena *arena, char **argv, int *at) {
    const char *word = argv[*at];
    for (int i = 0; i < OPTION__COUNT; i++) {
        const char *value = option_rows[i].value;
        size_t n = strlen(option_rows[i].spelling);
        if (strncmp(word, option_rows[i].spelling, n)) continue;
        if (word[n] == '=' && !*value && has_value_elsewhere(i)) continue;
        if (*value == '+') {
            if (word[n]) return apply(o, arena, (OptionId)i, word + n);
            return usage_error("`%s` needs a value: %s%s", word, word, value + 1);
        }
        if (!word[n] && !*value) return apply(o, arena, (OptionId)i, NULL);
        if (word[n] == '=' && !*value) return usage_error("`%s` takes no value", option_rows[i].spelling);
        if (word[n] == '=' && *value == '=') {
            if (!word[n + 1]) return usage_error("`%s=` needs a value", option_rows[i].spelling);
            return apply(o, arena, (OptionId)i, word + n + 1);
        }
        if (!word[n] && *value == '=') return usage_error("`%s` needs a value: %s%s", word, word, value);
        if (!word[n]) {
            if (!argv[*at + 1]) return usage_error("`%s` needs a value: %s %s", word, word, value);
            return apply(o, arena, (OptionId)i, argv[++*at]);
        }
    }
    return unknown_option(word);
}

static int check_fmt(const Options *o) {
    if (o->output) return usage_error("`kdslc fmt` changes the files themselves, so -o cannot be used");
    if (o->emit || o->explain || o->object || o->shared)
        return usage_error("`kdslc fmt` does not compile: remove %s",
                           o->emit ? "--emit" : o->explain ? "--explain" : o->object ? "-c" : "--shared");
    if (o->format == FORMAT_JUNIT) return usage_error("--format=junit is for `kdslc test` and `kdslc grade`");
    return NOT_DONE;
}

static int check_grade(const Options *o) {
    if (!o->n_inputs) return usage_error("the exercise is missing: `kdslc grade EXERCISE.json`");
    const char *other = o->output    ? "-o"
                        : o->emit    ? "--emit"
                        : o->explain ? "--explain"
                        : o->object  ? "-c"
                        : o->shared  ? "--shared"
                                     : NULL;
    if (other) return usage_error("`kdslc grade` writes no file and explains nothing: remove %s", other);
    other = o->unchecked ? "--unchecked" : o->shadow ? "--check" : NULL;
    if (other) return usage_error("`kdslc grade` checks what the exercise says: remove %s", other);
    if (o->format == FORMAT_SARIF) return usage_error("--format=sarif is for diagnostics");
    return NOT_DONE;
}

static int check_jupyter(const Options *o) {
    if (!o->install && !o->input)
        return usage_error("`kdslc jupyter` is started by Jupyter, with a connection file; `kdslc jupyter --install` "
                           "tells Jupyter of it");
    if (o->install && o->input) return usage_error("--install needs no connection file");
    const char *other = o->output ? "-o" : o->emit ? "--emit" : o->explain ? "--explain" : NULL;
    return other ? usage_error("`kdslc jupyter` writes no program: remove %s", other) : NOT_DONE;
}

static int check_together(const Options *o) {
    if (o->install && o->command != COMMAND_JUPYTER) return usage_error("--install is for `kdslc jupyter`");
    if (o->command == COMMAND_JUPYTER) return check_jupyter(o);
    if (o->command == COMMAND_FMT) return check_fmt(o);
    if (o->command == COMMAND_GRADE) return check_grade(o);
    if (o->check_format)
        return usage_error("--check without a list is for `kdslc fmt`; run-time checks are --check=LIST");
    if (o->diff) return usage_error("--diff is for `kdslc fmt`");
    if (o->command == COMMAND_DOCTOR || o->command == COMMAND_LSP)
        return o->input ? usage_error("`kdslc %s` takes no file", command_rows[o->command].name) : NOT_DONE;
    if (o->print_link_flags) return o->input ? usage_error("--print-link-flags needs no file") : NOT_DONE;
    bool makes_file = o->command == COMMAND_BUILD && !o->emit && !o->explain;
    if (o->dependencies && !makes_file && o->emit != EMIT_HEADER)
        return usage_error("-MD and -MF need an output file");
    if (!o->input && o->command != COMMAND_REPL) return usage_error("the source file is missing");
    if (o->header && !(makes_file && (o->object || o->shared)))
        return usage_error("--header=FILE is for -c and --shared; --emit=header writes the declarations alone");
    if (o->output && !*o->output) return usage_error("`-o` needs the name of a file");
    bool names_file = o->output && o->command != COMMAND_PROFILE;
    if (o->command != COMMAND_BUILD && (names_file || o->object || o->shared || o->emit))
        return usage_error("`kdslc %s` writes no file, so %s cannot be used", command_rows[o->command].name,
                           names_file  ? "-o"
                           : o->object ? "-c"
                       : o->shared ? "--shared"
                                       : "--emit");
    if (o->command == COMMAND_TEST && o->n_program_args > 1)
        return usage_error("`kdslc test` accepts one filter after the file, but got %d", o->n_program_args);
    if (o->explain && (o->command != COMMAND_BUILD || o->object || o->emit))
        return usage_error("--explain only prints: remove %s",
                           o->object ? "-c" : o->emit ? "--emit" : command_rows[o->command].name);
    if (o->format == FORMAT_SARIF && o->explain) return usage_error("--format=sarif is for diagnostics");
    if (o->format == FORMAT_JUNIT && o->command != COMMAND_TEST)
        return usage_error("--format=junit is for `kdslc test` and `kdslc grade`");
    if (o->trace && o->command != COMMAND_PROFILE && o->emit != EMIT_HTML)
        return usage_error("--trace is for --emit=html and `kdslc profile`");
    if (o->html && o->command != COMMAND_PROFILE) return usage_error("--html is for `kdslc profile`; use --emit=html");
    if (o->html && o->input && !strcmp(o->input, "-"))
        return usage_error("--html reads the source again, so it cannot be standard input");
    if (o->timeout && o->command != COMMAND_TEST) return usage_error("--timeout is for `kdslc test`");
    if (o->shared && (o->object || o->emit))
        return usage_error("--shared and %s cannot be combined", o->object ? "-c" : "--emit");
    if (o->object && o->emit) return usage_error("-c and --emit cannot be combined");
    if (o->shadow && archs_have_gpu(&o->archs))
        return usage_error("--check=race and --check=init are for the CPU device: use them with --offload-arch=host");
    if (o->print_before && o->emit != EMIT_LLVM && o->emit != EMIT_DEVICE_LLVM)
        return usage_error("--print-before needs --emit=llvm or --emit=device-llvm");
    return NOT_DONE;
}

/* -1: there is no such command. */
static int find_command(const char *word) {
    for (int i = 0; i < COMMAND__COUNT; i++)
        if (*command_rows[i].name && !strcmp(word, command_rows[i].name)) return i;
    return -1;
}

static bool looks_like_a_file(const char *word) { return strpbrk(word, "./") || !access(word, F_OK); }

/* A word where the source file should be, that is nearly a command and does not look like a file. NULL: none */
static const char *meant_command(const char *word) {
    const char *best = NULL;
    int distance = strlen(word) > 4 ? 3 : 2;
    for (int i = 0; i < COMMAND__COUNT && !looks_like_a_file(word); i++) {
        const CommandRow *row = &command_rows[i];
        int n = *row->help && *row->name ? edit_distance(word, row->name, distance - 1) : distance;
        if (n < distance) best = row->name, distance = n;
    }
    return best;
}

/* NOT_DONE: the word may be a file. needs_file: a word that resembles no command is one, too. */
static int unknown_command(const char *word, bool needs_file) {
    const char *by_meaning = looks_like_a_file(word) ? NULL : meant_by(MEANT_COMMAND, word);
    const char *meant = meant_command(word);
    if (by_meaning) return usage_error("there is no command `%s`%s", word, by_meaning);
    if (meant) return usage_error("there is no command `%s`; did you mean `%s`?", word, meant);
    if (needs_file || looks_like_a_file(word)) return NOT_DONE;
    return usage_error("there is no command `%s`", word);
}

static int second_file(const Options *o, Arena *arena, const char *word, bool has_command) {
    if (o->command == COMMAND_EXPLAIN) return explain_diagnostic(arena, o->input);
    int result = has_command ? NOT_DONE : unknown_command(o->input, find_command(word) >= 0);
    if (result != NOT_DONE) return result;
    if (!strcmp(o->input, word)) return usage_error("`%s` is named twice: only one source file is allowed", word);
    if (find_command(word) >= 0) return usage_error("write the command first: `kdslc %s ... %s`", word, o->input);
    return usage_error("only one source file is allowed: `%s` or `%s`?", o->input, word);
}

/* What a program gets, and what the compiler might have been meant to get. */
const char *options_misplaced(const Options *o) {
    for (int k = 0; k < o->n_program_args; k++)
        for (int i = 0; i < OPTION__COUNT; i++) {
            const char *word = o->program_args[k];
            size_t n = strlen(option_rows[i].spelling);
            bool is_whole = !strncmp(word, option_rows[i].spelling, n) && (!word[n] || word[n] == '=');
            bool begins = *option_rows[i].value == '+' && !strncmp(word, option_rows[i].spelling, n);
            if (option_rows[i].level != LEVEL_TESTS && (is_whole || begins)) return word;
        }
    return NULL;
}

/* Options that say how a program is compiled, and are hardly ever those of a program. */
static bool is_about_compiling(OptionId id) {
    static const OptionId ids[] = {OPTION_O0, OPTION_O1, OPTION_O2, OPTION_O3, OPTION_MARCH, OPTION_ARCH,
                                   OPTION_UNCHECKED, OPTION_CHECKS, OPTION_VECTOR, OPTION_FP, OPTION_TRANSFERS,
                                   OPTION_MEMORY, OPTION_RACES, OPTION_EXPLAIN, OPTION_EMIT, OPTION_WERROR,
                                   OPTION_TIME_REPORT};
    for (size_t i = 0; i < sizeof ids / sizeof *ids; i++)
        if (ids[i] == id) return true;
    return false;
}

const char *options_likely_misplaced(const Options *o) {
    for (int k = 0; k < o->n_program_args && !o->after_dashes; k++)
        for (int i = 0; i < OPTION__COUNT; i++) {
            const char *word = o->program_args[k];
            size_t n = strlen(option_rows[i].spelling);
            if (!strcmp(word, "--")) return NULL;
            if (!is_about_compiling((OptionId)i) || strncmp(word, option_rows[i].spelling, n)) continue;
            if (word[n] == *option_rows[i].value) return word; /* both end, or both go on with `=` */
        }
    return NULL;
}

/* The first word that is no option names the command, or is the file. */
static int take_word(Options *o, Arena *arena, const char *word, bool *has_command) {
    int command = *has_command || o->input ? -1 : find_command(word);
    if (command == COMMAND_HELP) return print_page(help_page, LEVEL_BASIC);
    if (command == COMMAND_VERSION) return print_version();
    if (command >= 0) {
        o->command = (Command)command;
        *has_command = true;
    } else if (o->command == COMMAND_EXPLAIN && !o->input && is_explained(word)) { /* explain launch FILE */
        o->command = COMMAND_BUILD;
        return parse_explain(o, arena, word);
    } else if (o->command == COMMAND_FMT || o->command == COMMAND_GRADE) {
        o->inputs[o->n_inputs++] = word;
    } else if (o->input && o->command == COMMAND_TEST) {
        o->program_args[o->n_program_args++] = (char *)word; /* the filter */
    } else if (o->input) {
        return second_file(o, arena, word, *has_command);
    } else {
        o->input = word;
    }
    return NOT_DONE;
}

static bool passes_on(const Options *o) {
    return o->command == COMMAND_RUN || o->command == COMMAND_INTERPRET || o->command == COMMAND_PROFILE;
}

static int parse_words(Options *o, Arena *arena, int argc, char **argv) {
    bool only_files = false, has_command = false;
    for (int at = 1; at < argc; at++) {
        const char *word = argv[at];
        int result = NOT_DONE;
        if (!only_files && !strcmp(word, "--")) {
            only_files = has_command = true;
            o->after_dashes = !o->input;
        } else if (!only_files && word[0] == '-' && word[1]) {
            result = parse_option(o, arena, argv, &at);
        } else {
            result = take_word(o, arena, word, &has_command);
            if (result == NOT_DONE && o->input && passes_on(o)) {
                o->program_args = argv + at + 1;
                o->n_program_args = argc - at - 1;
                break;
            }
        }
        if (result != NOT_DONE) return result;
    }
    return o->input && !has_command ? unknown_command(o->input, true) : NOT_DONE;
}

/* Programs with debug information are also run in valgrind, which has no AVX-512. */
static const char *default_march(const Options *o) {
    return o->debug && __builtin_cpu_supports("x86-64-v3") ? "x86-64-v3" : "native";
}

int options_parse(Options *o, Arena *arena, int argc, char **argv) {
    const char *term = getenv("TERM");
    *o = (Options){.opt_level = 2};
    o->colour = isatty(STDERR_FILENO) && !getenv("NO_COLOR") && !(term && !strcmp(term, "dumb"));
    o->libraries = arena_array(arena, const char *, argc);
    o->folders = arena_array(arena, const char *, argc);
    o->inputs = arena_array(arena, const char *, argc);
    o->program_args = arena_array(arena, char *, argc + 1);
    if (argc == 1 && isatty(STDIN_FILENO) && isatty(STDOUT_FILENO)) o->command = COMMAND_REPL;
    int result = parse_words(o, arena, argc, argv);
    if (result != NOT_DONE) return result;
    if (!o->march) o->march = default_march(o);
    if (o->command == COMMAND_EXPLAIN) return explain_diagnostic(arena, o->input);
    if (!o->archs.n) parse_arch(o, arena, o->shadow ? "host" : "auto");
    return check_together(o);
}
