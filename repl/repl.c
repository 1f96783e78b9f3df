/* repl.c -- the read-eval-print loop. On a terminal, inputs are edited (edit.c); else lines are read from standard
 * input, and only answers are printed. */
#include "repl/repl.h"

#include <ctype.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "repl/commands.h"
#include "repl/complete.h"
#include "repl/show.h"

static const char PROMPT[] = "kdsl> ", MORE[] = "    > "; /* of equal length */

/* ---- output ---- */

static void write_out(FILE *to, Buf *text) {
    if (text->n) fwrite(text->at, 1, text->n, to);
    fflush(to);
    buf_free(text);
    *text = (Buf){0};
}

void repl_say(Repl *r, Buf *text) {
    if (r->sink && text->n) r->sink->say(r->to, text);
    if (r->sink) text->n = 0;
    write_out(stdout, text);
}

void repl_complain(Repl *r, Buf *text) {
    if (text->n && text->at[text->n - 1] != '\n') buf_putc(text, '\n');
    fflush(stdout);
    if (r->sink && text->n) r->sink->complain(r->to, text);
    if (r->sink) text->n = 0;
    write_out(stderr, text);
}

static void say_value(Repl *r, const SessionValue *v) {
    Buf out = {0};
    if (r->sink && v->type && *v->type) r->sink->value(r->to, v);
    if (r->sink) return;
    ShowHow how = {.colour = r->terminal.depth != DEPTH_NONE};
    int rows;
    terminal_size(&r->terminal, &how.columns, &rows);
    show_value(v, &how, &out);
    repl_say(r, &out);
}

static void launch_line(const SessionLaunch *l, int times, Buf *out) {
    buf_printf(out, "%s", l->kernel);
    if (times > 1) buf_printf(out, " %d times", times);
    if (l->device && *l->device) buf_printf(out, " on %s", l->device);
    buf_puts(out, ": ");
    if (l->geometry && *l->geometry) buf_printf(out, "%s, ", l->geometry);
    if (l->seconds > 0) show_seconds(l->seconds, out), buf_puts(out, ", ");
    if (l->bytes_to) show_bytes(l->bytes_to, out), buf_puts(out, l->bytes_from ? " to the device, " : " to the device");
    if (l->bytes_from) show_bytes(l->bytes_from, out), buf_puts(out, " back");
    if (!l->bytes_to && !l->bytes_from) buf_puts(out, "nothing copied");
    else if (l->is_in_place) buf_puts(out, " (in place here)");
}

static void say_dim(Repl *r, const char *line) {
    Buf out = {0};
    bool dim = r->terminal.depth != DEPTH_NONE;
    buf_printf(&out, "%s%s%s\n", dim ? "\033[2m" : "", line, dim ? "\033[0m" : "");
    repl_say(r, &out);
}

/* Of the last input: told now, unless that is turned off, and kept. */
static void tell_launches(Repl *r) {
    enum { SHOWN = 8 };
    const SessionLaunch *launches;
    const int *times;
    int n = session_launches(r->session, &launches, &times);
    for (int i = 0; i < n; i++) {
        Buf out = {0};
        launch_line(&launches[i], times[i], &out);
        const char *line = arena_strndup(&r->arena, out.at, out.n);
        buf_free(&out);
        vec_push(&r->arena, &r->launches, line);
        if (i < SHOWN && !r->quiet) say_dim(r, line);
    }
    if (n > SHOWN && !r->quiet) say_dim(r, arena_printf(&r->arena, "... %d more: `:launches`", n - SHOWN));
}

void repl_show_launches(Repl *r) {
    enum { SHOWN = 32 };
    int n = r->launches.n, first = n > SHOWN ? n - SHOWN : 0;
    if (first) say_dim(r, arena_printf(&r->arena, "... %d earlier", first));
    for (int i = first; i < n; i++) say_dim(r, r->launches.at[i]);
}

/* ---- one input ---- */

static void say_stopped(Repl *r) {
    Buf out = {0};
    buf_puts(&out, "stopped\n");
    repl_say(r, &out);
}

static SessionResult run_code(Repl *r, const char *text, size_t n) {
    Buf said = {0};
    SessionValue value = {0};
    SessionResult result = session_run(r->session, text, n, &value, &said);
    if (result == SESSION_STOPPED) say_stopped(r);
    if (result == SESSION_STOPPED) r->n_stopped++;
    repl_complain(r, &said);
    if (result == SESSION_DONE) say_value(r, &value);
    if (result != SESSION_REFUSED) tell_launches(r);
    if (result == SESSION_LEAVES) r->leaves = true, r->exit_code = session_exit_code(r->session);
    return result;
}

static void remember(Repl *r, const char *text, bool failed) {
    Ran ran = {.text = text, .failed = failed};
    char *path = r->file && strstr(text, "import") ? realpath(r->file, NULL) : NULL;
    if (path) {
        ran.file = arena_strndup(&r->arena, path, strlen(path));
        ran.lines_before = r->lines_before;
    }
    free(path);
    vec_push(&r->arena, &r->ran, ran);
}

/* `word`, `word;`, `word()`: common attempts at a command. */
static bool is_word(const char *text, size_t n, const char *word) {
    size_t length = strlen(word);
    if (n && text[n - 1] == ';') n--;
    if (n == length + 2 && !strncmp(text + length, "()", 2)) n = length;
    return length == n && !strncmp(text, word, n);
}

/* The command that the user probably means: help, or how to leave. */
static const char *meant_command(Repl *r, const char *text, size_t n) {
    static const char *const words[][2] = {{"help", ":help"}, {"?", ":help"}, {"quit", ":quit"}, {"exit", ":quit"}};
    SessionName name;
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        if (!is_word(text, n, words[i][0])) continue;
        for (int k = 0; session_name(r->session, k, &name); k++)
            if (!strcmp(name.name, words[i][0])) return NULL;
        return words[i][1];
    }
    return NULL;
}

bool repl_input(Repl *r, const char *text, size_t n) {
    while (n && isspace((unsigned char)text[n - 1])) n--;
    size_t blanks = 0;
    while (blanks < n && isspace((unsigned char)text[blanks])) blanks++;
    if (blanks == n) return true;
    const char *first = text + blanks, *command = meant_command(r, first, n - blanks);
    char *copy = arena_strndup(&r->arena, text, n);
    if (command) return command_run(r, command);
    if (*first == ':') return command_run(r, copy + blanks);
    size_t last = drawing_start(r, text, n);
    if (last) return repl_input(r, text, last) && repl_input(r, text + last, n - last);
    SessionResult result = SESSION_REFUSED;
    if (!drawing_is(r, text, n)) result = run_code(r, text, n);
    else if (drawing_run(r, text, n)) result = SESSION_DONE;
    bool ok = result == SESSION_DONE || result == SESSION_LEAVES;
    if (ok || result == SESSION_FAILED) remember(r, copy, !ok);
    if (!ok && !r->may_fail) r->failed = true;
    return ok;
}

/* ---- texts with several inputs ---- */

static bool is_unfinished(const char *text, size_t n) {
    size_t i = 0;
    while (i < n && isspace((unsigned char)text[i])) i++;
    return i < n && text[i] != ':' && input_state(text, n) == INPUT_INCOMPLETE;
}

/* Length of the first complete input of the text, in whole lines. */
static size_t input_length(const char *text, size_t n) {
    for (size_t at = 0; at < n;) {
        const char *end = memchr(text + at, '\n', n - at);
        at = end ? (size_t)(end - text) + 1 : n;
        if (!is_unfinished(text, at)) return at;
    }
    return n;
}

/* True if the text has neither drawings nor commands, which are inputs of their own. */
static bool is_code(Repl *r, const char *text, size_t n) {
    while (n) {
        size_t length = input_length(text, n), i = 0;
        while (i < length && isspace((unsigned char)text[i])) i++;
        if ((i < length && text[i] == ':') || drawing_is(r, text, length)) return false;
        text += length;
        n -= length;
    }
    return true;
}

static int count_lines(const char *text, size_t n) {
    int lines = 0;
    for (size_t i = 0; i < n; i++) lines += text[i] == '\n';
    return lines;
}

static void run_from(Repl *r, const char *file, int lines) {
    r->file = file;
    r->lines_before = lines;
    session_from(r->session, file, lines);
}

/* The next line that :save writes before an input; the end of the text: there is none. */
static size_t next_mark(const char *text, size_t n, size_t at) {
    for (size_t length = strlen(repl_mark); at + length <= n; at++)
        if ((!at || text[at - 1] == '\n') && !memcmp(text + at, repl_mark, length)) return at;
    return n;
}

/* What :save has written: each input by itself, as it was executed, since later ones may declare the same names again.
 * An input that failed then fails now in the same way. */
static bool saved_inputs(Repl *r, const char *file, const char *text, size_t n) {
    bool ok = true;
    for (size_t at = next_mark(text, n, 0), end; at < n && ok && !r->leaves; at = end) {
        const char *newline = memchr(text + at, '\n', n - at);
        size_t begin = newline ? (size_t)(newline - text) + 1 : n;
        char *mark = arena_strndup(&r->arena, text + at, begin - at - (newline != NULL));
        char *of = strstr(mark, " of "), *line = of ? strrchr(of, ':') : NULL;
        end = next_mark(text, n, begin);
        r->may_fail = strstr(mark, " failed") != NULL;
        if (line) *line = 0;
        run_from(r, line ? of + strlen(" of ") : file, line ? atoi(line + 1) : count_lines(text, begin));
        if (!line) r->file = NULL; /* it was typed */
        ok = repl_input(r, text + begin, end - begin) || r->may_fail;
        r->may_fail = false;
    }
    return ok;
}

/* Declarations may refer to later ones, so a text that is a complete input is executed as one input. */
static bool plain_text(Repl *r, const char *file, const char *text, size_t n) {
    bool ok = true, whole = input_state(text, n) == INPUT_COMPLETE && is_code(r, text, n);
    for (int lines = 0; n && ok && !r->leaves;) {
        size_t length = whole ? n : input_length(text, n);
        run_from(r, file, lines);
        ok = repl_input(r, text, length);
        lines += count_lines(text, length);
        text += length;
        n -= length;
    }
    return ok;
}

bool repl_text(Repl *r, const char *file, const char *text, size_t n) {
    bool ok = plain_text(r, file, text, next_mark(text, n, 0)) && saved_inputs(r, file, text, n);
    run_from(r, NULL, 0);
    return ok;
}

/* Removes prompts, and the output between inputs, from text that was copied from a page or a session. */
static void drop_prompts(Buf *typed) {
    Buf inputs = {0};
    bool in_input = false;
    if (strncmp(typed->at, PROMPT, strlen(PROMPT))) return;
    for (const char *line = typed->at, *next; *line; line = next) {
        size_t n = strcspn(line, "\n");
        next = line + n + (line[n] == '\n');
        bool begins = !strncmp(line, PROMPT, strlen(PROMPT)), goes_on = in_input && !strncmp(line, MORE, strlen(MORE));
        in_input = begins || goes_on;
        if (in_input) buf_printf(&inputs, "%.*s\n", (int)(n - strlen(PROMPT)), line + strlen(PROMPT));
    }
    inputs.at[--inputs.n] = 0;
    buf_free(typed);
    *typed = inputs;
}

/* ---- the loops ---- */

static Session *interrupted_session;

/* The terminal has echoed ^C, so the message begins on a new line. */
static void on_interrupt(int signal) {
    (void)signal;
    static const char waits[] = "\na kernel is running: the input stops when the kernel has ended\n";
    size_t n = session_interrupt(interrupted_session) ? sizeof waits - 1 : 1;
    if (write(STDERR_FILENO, waits, n) < 0) return; /* the message cannot be reported elsewhere */
}

static void greet(Repl *r) {
    Buf out = {0};
    const char *dim = r->terminal.depth != DEPTH_NONE ? "\033[2m" : "", *plain = *dim ? "\033[0m" : "";
    buf_printf(&out,
               "%sKDSL: type an expression, a statement or a declaration; :help lists commands, Ctrl-D leaves%s\n", dim,
               plain);
    repl_say(r, &out);
}

static void run_typing(Repl *r) {
    interrupted_session = r->session;
    signal(SIGINT, on_interrupt);
    crash_watch("your inputs are in the history: start a new session and press Up", false);
    edit_open(&(EditHow){.prompt = PROMPT,
                         .more = MORE,
                         .colour = r->terminal.depth != DEPTH_NONE,
                         .keep_history = true,
                         .unfinished = is_unfinished,
                         .session = r->session});
    greet(r);
    while (!r->leaves) {
        Buf typed = {0};
        EditEnd end = edit_read(&typed);
        if (end == EDIT_LEFT) r->leaves = true;
        if (end == EDIT_INPUT && typed.n) {
            drop_prompts(&typed);
            edit_remember(typed.at);
            repl_text(r, NULL, typed.at, typed.n); /* pasted text may contain several inputs */
        }
        buf_free(&typed);
    }
}

static void run_lines(Repl *r) {
    char *line = NULL;
    size_t room = 0;
    Buf input = {0};
    for (ssize_t n; !r->leaves && (n = getline(&line, &room, stdin)) > 0;) {
        buf_add(&input, line, (size_t)n);
        if (is_unfinished(input.at, input.n)) continue;
        repl_input(r, input.at, input.n);
        input.n = 0;
    }
    if (input.n) repl_input(r, input.at, input.n); /* incomplete: reports what is missing */
    buf_free(&input);
    free(line);
}

bool repl_open(Repl *r, const ReplOptions *o) {
    Buf why = {0};
    r->options = (SessionOptions){.march = o->march,
                                  .archs = o->archs,
                                  .opt_level = o->opt_level,
                                  .strict = o->strict, .fast = o->fast,
                                  .shadow = o->shadow,
                                  .colour = o->colour};
    r->session = session_new(&r->options, &why);
    if (!r->session) repl_complain(r, &why);
    return r->session != NULL;
}

void repl_close(Repl *r) {
    session_free(r->session);
    arena_free(&r->arena);
}

int repl_run(const ReplOptions *o) {
    Repl r = {0};
    terminal_look(&r.terminal, o->colour);
    r.quiet = !r.terminal.interactive; /* deterministic output for scripts */
    if (!repl_open(&r, o)) return 1;
    if (o->file && !command_load(&r, o->file)) r.failed = true;
    if (r.terminal.interactive) run_typing(&r);
    else run_lines(&r);
    repl_close(&r);
    return r.exit_code ? r.exit_code : r.failed && !r.terminal.interactive;
}
