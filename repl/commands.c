/* commands.c -- the table of commands and their implementations, most of which print the answer of a query of the
 * session. */
#include "repl/commands.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "driver/explain.h"
#include "offload/offload.h"
#include "repl/show.h"

const CommandInfo command_info[COMMAND__COUNT] = {
#define COMMAND(id, name, arguments, help) {name, arguments, help},
#include "repl/commands.def"
};

enum { HISTORY_SHOWN = 20, TYPOS = 2 };

/* Prints an answer to standard output, an error message to standard error. */
static bool tell(Repl *r, bool ok, Buf *text) {
    if (text->n && text->at[text->n - 1] != '\n') buf_putc(text, '\n');
    (ok ? repl_say : repl_complain)(r, text);
    return ok;
}

/* ---- help ---- */

static void help_row(const CommandInfo *c, Buf *out) {
    size_t start = out->n;
    buf_printf(out, "  :%s%s%s", c->name, *c->arguments ? " " : "", c->arguments);
    buf_printf(out, "%*s%s\n", (int)(start + 21 - out->n), "", c->help);
}

/* The command with this name, or the first one of which it is a prefix. */
static int command_named(const char *name, size_t n) {
    int found = -1;
    for (int i = COMMAND__COUNT; n && i-- > 0;) {
        if (strncmp(command_info[i].name, name, n)) continue;
        found = i;
        if (!command_info[i].name[n]) break;
    }
    return found;
}

static bool do_help(Repl *r, const char *argument) {
    Buf out = {0};
    if (*argument == ':') argument++;
    int one = command_named(argument, strlen(argument));
    if (*argument && one < 0) {
        buf_printf(&out, "unknown command `%s`; :help lists all commands\n", argument);
        return tell(r, false, &out);
    }
    if (one >= 0) help_row(&command_info[one], &out);
    else {
        buf_puts(&out, "Type an expression to see its value, a statement to run it, a declaration to\nkeep it, or "
                       "several of them:\n  let x = [f32(i) for i in 1000]\n  kernel half(x: &[f32; n], y: &out [f32; "
                       "n]) over i in n { y[i] = x[i] / 2; }\n  var y = [0.0f32; 1000]; offload half(&x, &out y); "
                       "y\nPlots: plot(y), plot(x, y), hist(x), image(m); add to \"file.png\" to save one.\nCommands, "
                       "which can be abbreviated:\n");
        for (int i = 0; i < COMMAND__COUNT; i++) help_row(&command_info[i], &out);
        buf_puts(&out, "Keys: Tab completes, Ctrl-R searches the history, Alt-Enter begins a new line,\nCtrl-C "
                       "cancels the input or stops the running program.\n");
    }
    return tell(r, true, &out);
}

/* ---- queries ---- */

static bool explained(Repl *r, const char *what, const char *name) {
    Buf out = {0};
    bool ok = session_explain(r->session, what, *name ? name : NULL, &out);
    return tell(r, ok, &out);
}

static bool code_of(Repl *r, const char *kind, const char *name) {
    Buf out = {0};
    bool ok = session_code(r->session, kind, name, &out);
    return tell(r, ok, &out);
}

static bool do_type(Repl *r, const char *expr) {
    Buf out = {0};
    bool ok = session_type(r->session, expr, &out);
    return tell(r, ok, &out);
}

static bool do_list(Repl *r) {
    static const char *const kinds[] = {"variable", "fn", "kernel", "struct", "const", "module"};
    Buf out = {0};
    SessionName name;
    for (int i = 0; session_name(r->session, i, &name); i++) {
        const char *kind = "";
        for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; k++)
            if (kinds[k][0] == name.kind) kind = kinds[k];
        buf_printf(&out, "%-9s%s%s%s\n", kind, name.name, name.type && *name.type ? ": " : "",
                   name.type ? name.type : "");
    }
    if (!out.n) buf_puts(&out, "nothing is declared yet\n");
    return tell(r, true, &out);
}

static bool do_devices(Repl *r) {
    Buf out = {0};
    bool ok = session_devices(r->session, &out);
    return tell(r, ok, &out);
}

static bool do_device(Repl *r, const char *argument) {
    Buf out = {0};
    char *end;
    long long device = strtoll(argument, &end, 10);
    if (*end) {
        buf_printf(&out, "`%s` is not a device number; :devices lists the devices\n", argument);
        return tell(r, false, &out);
    }
    bool ok = session_device(r->session, device, &out);
    return tell(r, ok, &out);
}

static bool do_explain(Repl *r, const char *code) {
    Buf out = {0};
    bool ok = is_diagnostic_code(code) && explain_code(code, &out);
    if (!ok) buf_printf(&out, "unknown diagnostic `%s`\n", code);
    return tell(r, ok, &out);
}

/* ---- times ---- */

static int by_value(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double quantile(const double *sorted, int n, double part) {
    double place = part * (n - 1);
    int i = (int)place;
    return i + 1 < n ? sorted[i] + (place - i) * (sorted[i + 1] - sorted[i]) : sorted[n - 1];
}

static bool timed(Repl *r, const char *text, bool kernels_only) {
    const double seconds = 0.7;
    Buf out = {0};
    double *times = NULL;
    int n = session_time(r->session, text, seconds, kernels_only, &times, &out);
    if (n > 0) {
        qsort(times, (size_t)n, sizeof *times, by_value);
        buf_puts(&out, "median ");
        show_seconds(quantile(times, n, 0.5), &out);
        buf_puts(&out, ", half of them between ");
        show_seconds(quantile(times, n, 0.25), &out);
        buf_puts(&out, " and ");
        show_seconds(quantile(times, n, 0.75), &out);
        buf_puts(&out, ", least ");
        show_seconds(times[0], &out);
        buf_printf(&out, "; %d runs\n", n);
    } else if (n == 0) {
        buf_puts(&out, "nothing was launched\n");
    }
    free(times);
    return tell(r, n > 0, &out);
}

static bool do_bench(Repl *r, const char *call) {
    Buf text = {0};
    buf_printf(&text, "%s%s", strncmp(call, "offload", 7) ? "offload " : "", call);
    bool ok = timed(r, text.at, true);
    buf_free(&text);
    return ok;
}

/* ---- files and the session as a whole ---- */

bool command_load(Repl *r, const char *path) {
    Compiler c;
    const char *why = "";
    compiler_init(&c);
    Source *file = source_read(&c.sources, path, SOURCE_FILE, &why);
    Buf out = {0};
    bool ok = file && repl_text(r, path, file->text, file->n);
    if (!file) buf_printf(&out, "cannot read `%s`: %s\n", path, why);
    compiler_free(&c);
    return ok || tell(r, false, &out);
}

bool repl_write_file(const char *path, const Buf *text, Buf *why) {
    Compiler c;
    compiler_init(&c);
    bool ok = off_write_file(&c, path, (Blob){text->at, text->n}, 0666);
    if (!ok) buf_printf(why, "%s\n", c.diags.list.at[0]->text);
    compiler_free(&c);
    return ok;
}

const char repl_mark[] = "//: input ";

/* Saves each input, after a comment by which it is found again. */
static bool do_save(Repl *r, const char *path) {
    Buf out = {0}, text = {0};
    int n_failed = 0;
    for (int i = 0; i < r->ran.n; i++) {
        const Ran *ran = &r->ran.at[i];
        n_failed += ran->failed;
        buf_printf(&text, "%s%d%s", repl_mark, i + 1, ran->failed ? ", which failed" : "");
        if (ran->file) buf_printf(&text, " of %s:%d", ran->file, ran->lines_before);
        buf_printf(&text, "\n%s\n", ran->text);
    }
    bool ok = repl_write_file(path, &text, &out);
    if (ok) buf_printf(&out, "%d inputs in %s\n", r->ran.n, path);
    if (ok && n_failed)
        buf_printf(&out, "%d of them failed while running, and will fail again when the file is loaded\n", n_failed);
    if (ok && r->n_stopped)
        buf_printf(&out, "left out: %d input%s stopped while running; what they changed is not saved\n", r->n_stopped,
                   r->n_stopped == 1 ? " that was" : "s that were");
    buf_free(&text);
    return tell(r, ok, &out);
}

static bool do_history(Repl *r, const char *argument) {
    Buf out = {0};
    int last = *argument ? atoi(argument) : HISTORY_SHOWN, first = r->ran.n > last ? r->ran.n - last : 0;
    if (r->sink) { /* nothing is typed in a terminal */
        for (int i = first; i < r->ran.n; i++) buf_printf(&out, "%s\n", r->ran.at[i].text);
    } else {
        edit_history(last, &out);
    }
    return tell(r, true, &out);
}

static bool do_reset(Repl *r) {
    session_reset(r->session);
    r->ran.n = r->n_stopped = r->launches.n = 0;
    return true;
}

static bool do_launches(Repl *r) {
    repl_show_launches(r);
    return true;
}

static bool do_check(Repl *r, const char *argument) {
    Buf out = {0};
    bool ok = session_check(r->session, argument, &out);
    return tell(r, ok, &out);
}

/* ---- */

static bool run(Repl *r, CommandId id, const char *argument) {
    switch (id) {
    case COMMAND_HELP: return do_help(r, argument);
    case COMMAND_TYPE: return do_type(r, argument);
    case COMMAND_LIST: return do_list(r);
    case COMMAND_PLAN: return explained(r, "plan", argument);
    case COMMAND_TRANSFERS: return explained(r, "transfers", argument);
    case COMMAND_BOUNDS: return explained(r, "bounds", argument);
    case COMMAND_RACES: return explained(r, "races", argument);
    case COMMAND_GPU: return explained(r, "launch", argument);
    case COMMAND_VECTOR: return explained(r, "vector", argument);
    case COMMAND_LAUNCHES: return do_launches(r);
    case COMMAND_IR: return code_of(r, "ir", argument);
    case COMMAND_ASM: return code_of(r, "asm", argument);
    case COMMAND_PTX: return code_of(r, "ptx", argument);
    case COMMAND_TIME: return timed(r, argument, false);
    case COMMAND_BENCH: return do_bench(r, argument);
    case COMMAND_DEVICES: return do_devices(r);
    case COMMAND_DEVICE: return do_device(r, argument);
    case COMMAND_LOAD: return command_load(r, argument);
    case COMMAND_SAVE: return do_save(r, argument);
    case COMMAND_HISTORY: return do_history(r, argument);
    case COMMAND_RESET: return do_reset(r);
    case COMMAND_QUIT: return r->leaves = true;
    case COMMAND_CHECK: return do_check(r, argument);
    case COMMAND_QUIET: r->quiet = strcmp(argument, "off") != 0; return true;
    case COMMAND_EXPLAIN: return do_explain(r, argument);
    case COMMAND__COUNT: break;
    }
    return false;
}

static bool unknown(Repl *r, const char *word) {
    Buf out = {0};
    int best = -1, best_distance = TYPOS + 1;
    for (int i = 0; i < COMMAND__COUNT; i++) {
        int distance = edit_distance(word, command_info[i].name, TYPOS);
        if (distance < best_distance) best = i, best_distance = distance;
    }
    if (best < 0) buf_printf(&out, "unknown command `:%s`; :help lists all commands\n", word);
    else buf_printf(&out, "unknown command `:%s`; did you mean `:%s`?\n", word, command_info[best].name);
    return tell(r, false, &out);
}

static bool takes(Repl *r, const CommandInfo *c, const char *argument) {
    Buf out = {0};
    if (!*c->arguments && *argument) buf_printf(&out, "`:%s` has no argument\n", c->name);
    if (*c->arguments && *c->arguments != '[' && !*argument)
        buf_printf(&out, "`:%s` needs an argument: :%s %s\n", c->name, c->name, c->arguments);
    return !out.n || tell(r, false, &out);
}

bool command_run(Repl *r, const char *text) {
    size_t n = 1;
    while (isalpha((unsigned char)text[n])) n++;
    const char *argument = text + n;
    while (isspace((unsigned char)*argument)) argument++;
    int id = command_named(text + 1, n - 1);
    if (n == 1) return do_help(r, "");
    bool ok = id >= 0 ? takes(r, &command_info[id], argument) && run(r, (CommandId)id, argument)
                      : unknown(r, arena_strndup(&r->arena, text + 1, n - 1));
    if (!ok) r->failed = true;
    return ok;
}
