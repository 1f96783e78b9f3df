/* execute.c -- the execution of a cell: its inputs run in the session, and what they print becomes messages. A cell has
 * one result, its last value; earlier values are displayed. */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "jupyter/internal.h"
#include "repl/show.h"

enum { COLUMNS = 100 };

/* Results ---------------------------------------------------------------------------------------------------------- */

/* For an array also as a table. */
static struct json_object *bundle_of(const SessionValue *v) {
    struct json_object *data = json_object_new_object();
    ShowHow how = {.columns = COLUMNS};
    Buf text = {0}, table = {0};
    show_value(v, &how, &text);
    while (text.n && text.at[text.n - 1] == '\n') text.at[--text.n] = 0;
    json_add_text(data, "text/plain", text.n ? text.at : "");
    if (show_table(v, &table)) json_add_text(data, "text/html", table.at);
    buf_free(&text);
    buf_free(&table);
    return data;
}

static void publish_data(Kernel *k, const char *type, struct json_object *data, struct json_object *metadata) {
    struct json_object *content = json_object_new_object();
    json_object_object_add(content, "data", data);
    json_object_object_add(content, "metadata", metadata);
    if (!strcmp(type, "execute_result")) json_add_number(content, "execution_count", k->count);
    if (k->is_silent) json_object_put(content);
    else wire_publish(k->wire, k->request, type, content);
}

/* Another result follows, so the last value is not that of the cell. */
static void display_value(Kernel *k) {
    if (k->value) publish_data(k, "display_data", k->value, json_object_new_object());
    k->value = NULL;
}

static void publish_text(Kernel *k, const char *stream, const Buf *text) {
    struct json_object *content = json_object_new_object();
    json_add_text(content, "name", stream);
    json_add_text(content, "text", text->at);
    if (k->is_silent) json_object_put(content);
    else wire_publish(k->wire, k->request, "stream", content);
}

static void say(void *to, const Buf *text) { publish_text(to, "stdout", text); }

static void complain(void *to, const Buf *text) {
    Kernel *k = to;
    buf_add(&k->errors, text->at, text->n);
}

static void take_value(void *to, const SessionValue *v) {
    Kernel *k = to;
    display_value(k);
    k->value = bundle_of(v);
}

static void show_picture(void *to, const Raster *pixels, int width, const Buf *text) {
    Kernel *k = to;
    struct json_object *data = json_object_new_object(), *metadata = json_object_new_object();
    struct json_object *size = json_object_new_object();
    Buf png = {0}, coded = {0};
    graphics_png(pixels, &png);
    buf_base64(&coded, png.at, png.n);
    json_add_text(data, "image/png", coded.at);
    json_add_text(data, "text/plain", text->n ? text->at : "");
    json_add_number(size, "width", width);
    json_add_number(size, "height", (int64_t)width * pixels->height / pixels->width);
    json_object_object_add(metadata, "image/png", size);
    display_value(k);
    publish_data(k, "display_data", data, metadata);
    buf_free(&png);
    buf_free(&coded);
}

const ReplSink kernel_sink = {say, complain, take_value, show_picture};

/* Interrupts ------------------------------------------------------------------------------------------------------- */

static struct {
    pthread_t thread;
    Session *volatile session; /* NULL: no cell is executed */
    volatile sig_atomic_t is_set;
} interrupts;

/* SIGINT of Jupyter, or kernel_interrupt. A signal between two cells is for neither. */
static void on_interrupt(int signal) {
    (void)signal;
    if (!interrupts.session) return;
    interrupts.is_set = true;
    session_interrupt(interrupts.session);
}

void kernel_interrupt(void) {
    if (interrupts.session) pthread_kill(interrupts.thread, SIGINT);
}

static bool is_interrupted(void) { return interrupts.is_set; }

/* Standard input --------------------------------------------------------------------------------------------------- */

static ssize_t read_input(void *context, char *to, size_t room) {
    Kernel *k = context;
    if (!k->asks || !k->request) return 0; /* the end of the input */
    display_value(k);
    Message *m = wire_ask(k->wire, k->request, is_interrupted);
    if (!m) {
        errno = EINTR;
        return -1;
    }
    const char *line = json_text(m->content, "value");
    size_t n = strlen(line);
    if (n > room - 1) n = room - 1;
    memcpy(to, line, n);
    to[n++] = '\n';
    message_free(m);
    return (ssize_t)n;
}

void kernel_open_input(Kernel *k) {
    FILE *typed = fopencookie(k, "r", (cookie_io_functions_t){.read = read_input});
    interrupts.thread = pthread_self();
    signal(SIGINT, on_interrupt);
    if (!typed) abort();
    stdin = typed;
}

/* Errors ----------------------------------------------------------------------------------------------------------- */

static Buf without_colours(const char *text) {
    Buf out = {0};
    while (*text) {
        if (!strncmp(text, "\033[", 2)) text += 2 + strcspn(text + 2, "m") + 1;
        else buf_putc(&out, *text++);
    }
    return out;
}

/* "error[E0301]: unknown name `x`": its code, or else `error`, and the message. */
static void name_error(const char *plain, struct json_object *content) {
    const char *error = strstr(plain, "error[");
    if (!error) error = strstr(plain, "error: ");
    const char *line = error ? error : plain, *colon = error ? strstr(error, ": ") : NULL;
    const char *code = error && error[5] == '[' ? error + 6 : "error";
    const char *message = colon ? colon + 2 : line;
    json_object_object_add(content, "ename", json_object_new_string_len(code, (int)strcspn(code, "]")));
    json_object_object_add(content, "evalue", json_object_new_string_len(message, (int)strcspn(message, "\n")));
}

static struct json_object *lines_of(const char *text) {
    struct json_object *lines = json_object_new_array();
    while (*text) {
        size_t n = strcspn(text, "\n");
        json_object_array_add(lines, json_object_new_string_len(text, (int)n));
        text += n + (text[n] == '\n');
    }
    return lines;
}

static void add_error(Kernel *k, struct json_object *content) {
    if (!k->errors.n) buf_puts(&k->errors, interrupts.is_set ? "error: interrupted\n" : "error: the cell has failed\n");
    Buf plain = without_colours(k->errors.at);
    name_error(plain.at, content);
    json_object_object_add(content, "traceback", lines_of(k->errors.at));
    buf_free(&plain);
}

static void publish_error(Kernel *k) {
    struct json_object *content = json_object_new_object();
    add_error(k, content);
    if (k->is_silent) json_object_put(content);
    else wire_publish(k->wire, k->request, "error", content);
}

/* Those that were sent together with the cell that failed. */
static void abort_waiting(Kernel *k) {
    for (Message *m = wire_take_waiting(k->wire), *next; m; m = next) {
        struct json_object *content = json_object_new_object();
        next = m->next;
        json_add_text(content, "status", "aborted");
        wire_answer(k->wire, m, "execute_reply", content);
        message_free(m);
    }
}

/* ---------------------------------------------------------------------------------------------------------------- */

static void publish_input(Kernel *k, const char *code) {
    struct json_object *content = json_object_new_object();
    json_add_text(content, "code", code);
    json_add_number(content, "execution_count", k->count);
    wire_publish(k->wire, k->request, "execute_input", content);
}

static bool run_cell(Kernel *k, const char *code, bool is_stored) {
    char name[32];
    clearerr(stdin); /* a cell that met the end of the input is over */
    wire_output_of(k->wire, k->is_silent ? NULL : k->request);
    interrupts.is_set = false;
    interrupts.session = k->repl.session;
    snprintf(name, sizeof name, is_stored ? "cell %d" : "cell", k->count); /* In [N], for messages */
    bool ok = repl_text(&k->repl, name, code, strlen(code));
    interrupts.session = NULL;
    fflush(NULL);
    return ok;
}

/* Expressions whose values a client wants beside the cell. */
static struct json_object *evaluate(Kernel *k, struct json_object *expressions) {
    struct json_object *out = json_object_new_object();
    if (!json_object_is_type(expressions, json_type_object)) return out;
    json_object_object_foreach(expressions, name, expression) {
        struct json_object *result = json_object_new_object();
        const char *text = json_object_get_string(expression);
        SessionValue v = {0};
        k->errors.n = 0;
        bool ok = session_run(k->repl.session, text, strlen(text), &v, &k->errors) == SESSION_DONE;
        json_add_text(result, "status", ok ? "ok" : "error");
        if (!ok) add_error(k, result);
        if (ok) json_object_object_add(result, "data", bundle_of(&v));
        if (ok) json_object_object_add(result, "metadata", json_object_new_object());
        json_object_object_add(out, name, result);
    }
    return out;
}

static void add_success(Kernel *k, struct json_object *content, struct json_object *reply) {
    struct json_object *payload = json_object_new_array();
    json_add_text(reply, "status", "ok");
    if (k->repl.leaves) {
        struct json_object *ends = json_object_new_object();
        json_add_text(ends, "source", "ask_exit");
        json_object_object_add(ends, "keepkernel", json_object_new_boolean(false));
        json_object_array_add(payload, ends);
    }
    json_object_object_add(reply, "payload", payload);
    json_object_object_add(reply, "user_expressions", evaluate(k, json_at(content, "user_expressions")));
}

static bool flag(struct json_object *content, const char *name, bool default_value) {
    struct json_object *o = json_at(content, name);
    return json_object_is_type(o, json_type_boolean) ? json_object_get_boolean(o) : default_value;
}

struct json_object *kernel_execute(Kernel *k, struct json_object *content) {
    struct json_object *reply = json_object_new_object();
    const char *code = json_text(content, "code");
    k->is_silent = flag(content, "silent", false);
    k->asks = flag(content, "allow_stdin", true);
    bool is_stored = !k->is_silent && flag(content, "store_history", true);
    k->count += is_stored;
    Cell cell = {arena_strndup(&k->repl.arena, code, strlen(code)), k->count};
    if (is_stored) vec_push(&k->repl.arena, &k->cells, cell);
    if (!k->is_silent) publish_input(k, code);
    k->errors.n = 0;
    bool ok = run_cell(k, code, is_stored);
    if (k->value) publish_data(k, ok ? "execute_result" : "display_data", k->value, json_object_new_object());
    k->value = NULL;
    json_add_number(reply, "execution_count", k->count);
    if (ok && k->errors.n) publish_text(k, "stderr", &k->errors); /* warnings */
    if (ok) {
        add_success(k, content, reply);
    } else {
        publish_error(k);
        json_add_text(reply, "status", "error");
        add_error(k, reply);
        if (flag(content, "stop_on_error", true)) abort_waiting(k);
    }
    buf_free(&k->errors);
    k->errors = (Buf){0};
    return reply;
}
