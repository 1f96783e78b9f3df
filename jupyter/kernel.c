/* kernel.c -- the loop of the kernel: it answers requests, one after the other, in the thread of the session. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "jupyter/internal.h"
#include "jupyter/jupyter.h"

static const struct {
    const char *type, *reply;
    struct json_object *(*answer)(Kernel *k, struct json_object *content);
} requests[] = {
#define REQUEST(type, reply, function) {type, reply, function},
#include "jupyter/requests.def"
};

static void publish_state(Kernel *k, const char *state) {
    struct json_object *content = json_object_new_object();
    json_add_text(content, "execution_state", state);
    wire_publish(k->wire, k->request, "status", content);
}

/* A comm is a connection to a widget; there are none here. */
static void refuse_comm(Kernel *k, const Message *m) {
    struct json_object *content = json_object_new_object();
    json_add_text(content, "comm_id", json_text(m->content, "comm_id"));
    json_object_object_add(content, "data", json_object_new_object());
    wire_publish(k->wire, m, "comm_close", content);
}

static void answer(Kernel *k, const Message *m) {
    k->request = m;
    publish_state(k, "busy");
    for (size_t i = 0; i < sizeof requests / sizeof *requests; i++) {
        if (strcmp(message_type(m), requests[i].type)) continue;
        struct json_object *content = requests[i].answer(k, m->content);
        if (content) wire_answer(k->wire, m, requests[i].reply, content);
    }
    if (!strcmp(message_type(m), "comm_open")) refuse_comm(k, m);
    publish_state(k, "idle");
    k->request = NULL;
}

int jupyter_serve(const char *connection, const ReplOptions *options) {
    Kernel k = {0};
    Buf why = {0};
    terminal_look(&k.repl.terminal, false);
    k.repl.terminal.interactive = false;
    ReplOptions how = *options;
    how.colour = true; /* clients show the escape sequences of diagnostics */
    if (!repl_open(&k.repl, &how)) return 1; /* said on standard error, before that belongs to cells */
    k.wire = wire_open(connection, kernel_interrupt, &why);
    if (!k.wire) {
        fputs(why.at, stderr);
        buf_free(&why);
        repl_close(&k.repl);
        return 1;
    }
    k.repl.sink = &kernel_sink;
    k.repl.to = &k;
    setvbuf(stdout, NULL, _IOLBF, BUFSIZ); /* output of a long cell is seen while it runs */
    kernel_open_input(&k);
    crash_watch("start the kernel again and run its cells", true);
    publish_state(&k, "starting");
    for (Message *m; !k.repl.leaves && (m = wire_next(k.wire)); message_free(m)) answer(&k, m);
    repl_close(&k.repl);
    wire_close(k.wire);
    return k.repl.exit_code;
}
