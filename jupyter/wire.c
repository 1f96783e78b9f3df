/* wire.c -- the sockets of the kernel and the thread that owns them, since a socket of ZeroMQ belongs to one thread.
 * The thread answers heartbeats and what clients ask on the control channel, also while a cell is executed; requests
 * wait in a queue for the thread of the session. What the session sends waits in another, and what it prints comes
 * through pipes; they are emptied before the queue, so that a client sees output before the end of its cell. */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#include <zmq.h>

#include "jupyter/internal.h"
#include "lexer/lexer.h"

enum { READ_BYTES = 1 << 16, UTF8_MOST = 4, LINGER_MS = 1000, ASK_MS = 50 };
enum { STREAM_OUT, STREAM_ERR, STREAM__COUNT };

static struct {
#define ZMQ(name) __typeof__(zmq_##name) *name;
#include "jupyter/zmq_rows.def"
} zmq;

static const struct {
    int type;
    const char *port;
} channel_info[CHANNEL__COUNT] = {
    [CHANNEL_SHELL] = {ZMQ_ROUTER, "shell_port"},      [CHANNEL_CONTROL] = {ZMQ_ROUTER, "control_port"},
    [CHANNEL_STDIN] = {ZMQ_ROUTER, "stdin_port"},      [CHANNEL_HEARTBEAT] = {ZMQ_REP, "hb_port"},
    [CHANNEL_IOPUB] = {ZMQ_PUB, "iopub_port"},
};

typedef struct Sending {
    Channel channel;
    Frames frames;
    Buf output_of; /* the parent of standard output from now on */
    bool sets_output;
    struct Sending *next;
} Sending;

typedef struct Stream {
    const char *name;
    int pipe;
    char rest[UTF8_MOST]; /* the beginning of a character */
    size_t n_rest;
} Stream;

struct Wire {
    Signer signer;
    void *context, *sockets[CHANNEL__COUNT];
    int wakes; /* an eventfd: something waits to be sent */
    Stream streams[STREAM__COUNT];
    Buf output_of; /* the thread's own */
    bool has_output;
    void (*interrupted)(void);
    pthread_t thread;

    pthread_mutex_t lock; /* of all below */
    pthread_cond_t arrived;
    Message *requests, *replies; /* of the shell channel and of the stdin channel, oldest first */
    Sending *sendings;
    bool shuts_down, ends;
};

/* Sockets ---------------------------------------------------------------------------------------------------------- */

static bool load_zmq(Buf *why) {
    void *library = dlopen("libzmq.so.5", RTLD_NOW | RTLD_LOCAL);
    if (!library) {
        buf_printf(why, "kdslc jupyter needs ZeroMQ (Debian package libzmq5): %s\n", dlerror());
        return false;
    }
#define ZMQ(name) *(void **)&zmq.name = dlsym(library, "zmq_" #name);
#include "jupyter/zmq_rows.def"
#define ZMQ(name) &&zmq.name
    bool has_all = true
#include "jupyter/zmq_rows.def"
        ;
    if (!has_all) buf_puts(why, "libzmq.so.5 is too old: kdslc jupyter needs ZeroMQ 4\n");
    return has_all;
}

static void send_frames(Wire *w, Channel channel, Frames *f) {
    for (int i = 0; i < f->n; i++) {
        int more = i + 1 < f->n ? ZMQ_SNDMORE : 0;
        while (zmq.send(w->sockets[channel], f->at[i].n ? f->at[i].at : "", f->at[i].n, more) < 0)
            if (errno != EINTR) break; /* the client has gone */
    }
    frames_free(f);
}

/* false: nothing has arrived. */
static bool receive_frames(void *socket, Frames *out) {
    zmq_msg_t part;
    *out = (Frames){0};
    for (bool more = true; more;) {
        zmq.msg_init(&part);
        if (zmq.msg_recv(&part, socket, out->n ? 0 : ZMQ_DONTWAIT) < 0) return out->n > 0;
        frames_add(out, zmq.msg_data(&part), zmq.msg_size(&part));
        more = zmq.msg_more(&part);
        zmq.msg_close(&part);
    }
    return true;
}

static bool bind_channel(Wire *w, Channel c, struct json_object *connection, Buf *why) {
    Buf address = {0};
    int linger = LINGER_MS;
    const char *transport = json_text(connection, "transport");
    const char *between = !strcmp(transport, "ipc") ? "-" : ":";
    buf_printf(&address, "%s://%s%s%d", *transport ? transport : "tcp", json_text(connection, "ip"), between,
               json_number(connection, channel_info[c].port));
    w->sockets[c] = zmq.socket(w->context, channel_info[c].type);
    bool ok = w->sockets[c] && !zmq.setsockopt(w->sockets[c], ZMQ_LINGER, &linger, sizeof linger) &&
              !zmq.bind(w->sockets[c], address.at);
    if (!ok) buf_printf(why, "cannot use %s: %s\n", address.at, zmq.strerror(errno));
    buf_free(&address);
    return ok;
}

/* Standard output -------------------------------------------------------------------------------------------------- */

static struct json_object *stream_content(const char *name, const char *text, size_t n) {
    struct json_object *o = json_object_new_object();
    json_add_text(o, "name", name);
    json_object_object_add(o, "text", json_object_new_string_len(text, (int)n));
    return o;
}

/* The bytes at the end of text[0..n) that begin a character which is not complete. */
static size_t unfinished_bytes(const char *text, size_t n) {
    for (size_t back = 1; back < UTF8_MOST && back <= n; back++) {
        unsigned char c = (unsigned char)text[n - back];
        size_t length = c >= 0xF0 ? 4 : c >= 0xE0 ? 3 : c >= 0xC0 ? 2 : 1;
        if (length > 1) return length > back ? back : 0;
        if (c < 0x80) return 0;
    }
    return 0;
}

/* JSON is UTF-8; bytes that are not become U+FFFD. */
static void add_valid(Buf *out, const char *text, size_t n) {
    for (size_t i = 0; i < n;) {
        uint32_t code;
        int length = utf8_decode(text + i, n - i, &code);
        if (length) buf_add(out, text + i, (size_t)length);
        else buf_puts(out, "\xEF\xBF\xBD");
        i += length ? (size_t)length : 1;
    }
}

static void publish_stream(Wire *w, const Stream *s, const char *text, size_t n) {
    Buf valid = {0};
    add_valid(&valid, text, n);
    Frames f = message_write(&w->signer, "stream", NULL, &w->output_of, stream_content(s->name, valid.at, valid.n));
    if (valid.n && w->has_output) send_frames(w, CHANNEL_IOPUB, &f);
    frames_free(&f);
    buf_free(&valid);
}

static void empty_pipe(Wire *w, Stream *s) {
    static char text[READ_BYTES + UTF8_MOST];
    for (ssize_t got; (got = read(s->pipe, text + s->n_rest, READ_BYTES)) > 0;) {
        memcpy(text, s->rest, s->n_rest);
        size_t n = s->n_rest + (size_t)got, rest = unfinished_bytes(text, n);
        publish_stream(w, s, text, n - rest);
        memcpy(s->rest, text + n - rest, rest);
        s->n_rest = rest;
    }
}

static bool redirect(Stream *s, const char *name, int fd, Buf *why) {
    int ends[2];
    s->name = name;
    if (pipe2(ends, O_CLOEXEC) || dup2(ends[1], fd) < 0) {
        buf_printf(why, "cannot redirect %s: %s\n", name, strerror(errno));
        return false;
    }
    close(ends[1]);
    s->pipe = ends[0];
    return fcntl(s->pipe, F_SETFL, O_NONBLOCK) >= 0;
}

/* The thread ------------------------------------------------------------------------------------------------------- */

static void queue_message(Wire *w, Message **queue, Message *m) {
    pthread_mutex_lock(&w->lock);
    while (*queue) queue = &(*queue)->next;
    *queue = m;
    pthread_cond_broadcast(&w->arrived);
    pthread_mutex_unlock(&w->lock);
}

static void control(Wire *w, Message *m) {
    struct json_object *content = json_object_new_object();
    bool shuts_down = !strcmp(message_type(m), "shutdown_request");
    bool interrupts = !strcmp(message_type(m), "interrupt_request");
    if (!shuts_down && !interrupts) { /* clients may ask for everything else here, too */
        json_object_put(content);
        queue_message(w, &w->requests, m);
        return;
    }
    json_add_text(content, "status", "ok");
    if (shuts_down) json_object_object_add(content, "restart", json_object_get(json_at(m->content, "restart")));
    Frames f = message_write(&w->signer, shuts_down ? "shutdown_reply" : "interrupt_reply", &m->identities,
                             &m->header_text, content);
    send_frames(w, m->channel, &f);
    w->interrupted();
    pthread_mutex_lock(&w->lock);
    w->shuts_down |= shuts_down;
    pthread_cond_broadcast(&w->arrived);
    pthread_mutex_unlock(&w->lock);
    message_free(m);
}

static void receive(Wire *w, Channel c) {
    for (Frames f; receive_frames(w->sockets[c], &f);) {
        if (c == CHANNEL_HEARTBEAT) {
            send_frames(w, c, &f);
            continue;
        }
        Message *m = message_read(&w->signer, c, &f);
        frames_free(&f);
        if (!m) continue; /* not for us, or not from a client that knows the key */
        if (c == CHANNEL_STDIN) queue_message(w, &w->replies, m);
        else if (c == CHANNEL_CONTROL || !strcmp(message_type(m), "shutdown_request")) control(w, m);
        else queue_message(w, &w->requests, m);
    }
}

static void send_waiting(Wire *w) {
    pthread_mutex_lock(&w->lock);
    Sending *list = w->sendings;
    w->sendings = NULL;
    pthread_mutex_unlock(&w->lock);
    for (int i = 0; i < STREAM__COUNT; i++) empty_pipe(w, &w->streams[i]);
    while (list) {
        Sending *s = list;
        list = s->next;
        if (s->sets_output) {
            buf_free(&w->output_of);
            w->output_of = s->output_of;
            w->has_output = s->output_of.n > 0;
        } else {
            send_frames(w, s->channel, &s->frames);
        }
        free(s);
    }
}

static void *serve(void *context) {
    enum { WAKES = CHANNEL_IOPUB, OUT, ERR, ITEMS };
    Wire *w = context;
    zmq_pollitem_t items[ITEMS] = {0};
    for (int c = 0; c < CHANNEL_IOPUB; c++) items[c] = (zmq_pollitem_t){.socket = w->sockets[c], .events = ZMQ_POLLIN};
    items[WAKES] = (zmq_pollitem_t){.fd = w->wakes, .events = ZMQ_POLLIN};
    items[OUT] = (zmq_pollitem_t){.fd = w->streams[STREAM_OUT].pipe, .events = ZMQ_POLLIN};
    items[ERR] = (zmq_pollitem_t){.fd = w->streams[STREAM_ERR].pipe, .events = ZMQ_POLLIN};
    for (bool ends = false; !ends;) {
        uint64_t n;
        if (zmq.poll(items, ITEMS, -1) < 0 && errno != EINTR) break;
        for (int c = 0; c < CHANNEL_IOPUB; c++)
            if (items[c].revents) receive(w, (Channel)c);
        if (items[WAKES].revents && read(w->wakes, &n, sizeof n) < 0) continue;
        pthread_mutex_lock(&w->lock);
        ends = w->ends;
        pthread_mutex_unlock(&w->lock);
        send_waiting(w);
    }
    for (int c = 0; c < CHANNEL__COUNT; c++) zmq.close(w->sockets[c]);
    return NULL;
}

/* The signals are for the thread of the session. */
static bool start_thread(Wire *w) {
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    bool ok = !pthread_create(&w->thread, NULL, serve, w);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return ok;
}

static struct json_object *read_connection(const char *path, Buf *why) {
    struct json_object *o = json_object_from_file(path);
    bool ok = json_object_is_type(o, json_type_object) && json_number(o, "shell_port");
    if (!ok) buf_printf(why, "`%s` is not a connection file of Jupyter: %s\n", path,
                        o ? "it names no shell_port" : json_util_get_last_err());
    if (ok) return o;
    json_object_put(o);
    return NULL;
}

Wire *wire_open(const char *path, void (*interrupted)(void), Buf *why) {
    struct json_object *connection = read_connection(path, why);
    Wire *w = calloc(1, sizeof *w);
    if (!w) abort();
    w->interrupted = interrupted;
    pthread_mutex_init(&w->lock, NULL);
    pthread_cond_init(&w->arrived, NULL);
    w->wakes = eventfd(0, EFD_CLOEXEC);
    bool ok = connection && load_zmq(why);
    if (ok) signer_init(&w->signer, json_text(connection, "key"));
    if (ok) w->context = zmq.ctx_new();
    for (int c = 0; c < CHANNEL__COUNT && ok; c++) ok = bind_channel(w, (Channel)c, connection, why);
    ok = ok && redirect(&w->streams[STREAM_OUT], "stdout", STDOUT_FILENO, why) &&
         redirect(&w->streams[STREAM_ERR], "stderr", STDERR_FILENO, why) && start_thread(w);
    json_object_put(connection);
    if (ok) return w;
    free(w);
    return NULL;
}

/* The session's side ----------------------------------------------------------------------------------------------- */

static void queue_sending(Wire *w, Sending sending) {
    Sending *s = malloc(sizeof *s);
    uint64_t one = 1;
    if (!s) abort();
    *s = sending;
    fflush(stdout);
    pthread_mutex_lock(&w->lock);
    Sending **end = &w->sendings;
    while (*end) end = &(*end)->next;
    *end = s;
    pthread_mutex_unlock(&w->lock);
    if (write(w->wakes, &one, sizeof one) < 0) abort(); /* only a counter at its limit of 2^64 */
}

void wire_answer(Wire *w, const Message *to, const char *type, struct json_object *content) {
    Frames f = message_write(&w->signer, type, &to->identities, &to->header_text, content);
    queue_sending(w, (Sending){.channel = to->channel, .frames = f});
}

void wire_publish(Wire *w, const Message *parent, const char *type, struct json_object *content) {
    Frames f = message_write(&w->signer, type, NULL, parent ? &parent->header_text : NULL, content);
    queue_sending(w, (Sending){.channel = CHANNEL_IOPUB, .frames = f});
}

void wire_output_of(Wire *w, const Message *m) {
    Sending s = {.sets_output = true};
    if (m) buf_add(&s.output_of, m->header_text.at, m->header_text.n);
    queue_sending(w, s);
}

static Message *first_of(Message **queue) {
    Message *m = *queue;
    if (m) *queue = m->next, m->next = NULL;
    return m;
}

Message *wire_next(Wire *w) {
    pthread_mutex_lock(&w->lock);
    while (!w->requests && !w->shuts_down) pthread_cond_wait(&w->arrived, &w->lock);
    Message *m = w->shuts_down ? NULL : first_of(&w->requests);
    pthread_mutex_unlock(&w->lock);
    return m;
}

Message *wire_take_waiting(Wire *w) {
    Message *taken = NULL, **end = &taken;
    pthread_mutex_lock(&w->lock);
    for (Message **at = &w->requests; *at;) {
        if (strcmp(message_type(*at), "execute_request")) {
            at = &(*at)->next;
            continue;
        }
        *end = first_of(at);
        end = &(*end)->next;
    }
    pthread_mutex_unlock(&w->lock);
    return taken;
}

Message *wire_ask(Wire *w, const Message *of, bool (*is_interrupted)(void)) {
    struct json_object *content = json_object_new_object();
    json_add_text(content, "prompt", "");
    json_object_object_add(content, "password", json_object_new_boolean(false));
    Frames f = message_write(&w->signer, "input_request", &of->identities, &of->header_text, content);
    queue_sending(w, (Sending){.channel = CHANNEL_STDIN, .frames = f});
    Message *m = NULL;
    pthread_mutex_lock(&w->lock);
    while (!(m = first_of(&w->replies)) && !w->shuts_down && !is_interrupted()) {
        struct timespec until;
        clock_gettime(CLOCK_REALTIME, &until);
        until.tv_nsec += ASK_MS * 1000000L;
        until.tv_sec += until.tv_nsec / 1000000000L;
        until.tv_nsec %= 1000000000L;
        pthread_cond_timedwait(&w->arrived, &w->lock, &until);
    }
    pthread_mutex_unlock(&w->lock);
    return m;
}

void wire_close(Wire *w) {
    uint64_t one = 1;
    fflush(NULL);
    pthread_mutex_lock(&w->lock);
    w->ends = true;
    pthread_mutex_unlock(&w->lock);
    if (write(w->wakes, &one, sizeof one) < 0) abort();
    pthread_join(w->thread, NULL);
    zmq.ctx_term(w->context);
}
