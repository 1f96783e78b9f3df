/* internal.h -- the parts of the kernel: messages (message.c), sockets with the thread that owns them (wire.c), and the
 * answers to requests (kernel.c, execute.c, requests.c). */
#ifndef KDSL_JUPYTER_INTERNAL_H
#define KDSL_JUPYTER_INTERNAL_H

#include <json-c/json.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/base.h"
#include "lsp/json.h"
#include "repl/commands.h"

typedef enum Channel {
    CHANNEL_SHELL, CHANNEL_CONTROL, CHANNEL_STDIN, CHANNEL_HEARTBEAT, CHANNEL_IOPUB, CHANNEL__COUNT
} Channel;

/* message.c: messages as frames ------------------------------------------------------------------------------------ */

typedef struct Frames {
    Buf *at;
    int n;
} Frames;
void frames_add(Frames *f, const void *bytes, size_t n);
void frames_free(Frames *f);

enum { KEY_BYTES = 256, ID_CHARS = 33 };
typedef struct Signer {
    char key[KEY_BYTES]; /* "": messages are not signed */
    size_t n;
    char session[ID_CHARS];
} Signer;
void signer_init(Signer *s, const char *key);

typedef struct Message {
    Channel channel;
    Frames identities; /* of the client, for the answer */
    struct json_object *header, *content;
    Buf header_text; /* as received: the parent header of what answers it */
    struct Message *next;
} Message;
/* NULL: no message, or its signature is wrong. */
Message *message_read(const Signer *s, Channel channel, const Frames *frames);
void message_free(Message *m);
const char *message_type(const Message *m);
/* A message with this content, which is freed. identities: of the client; NULL: a publication, whose topic is the type.
 * parent: the header_text of the message it belongs to, or NULL. */
Frames message_write(const Signer *s, const char *type, const Frames *identities, const Buf *parent,
                     struct json_object *content);

/* wire.c: the sockets, and standard output ------------------------------------------------------------------------- */

typedef struct Wire Wire;
/* Binds the sockets of a connection file, and starts the thread that reads and writes them. From then on, what is
 * written to standard output and standard error is published. NULL: error in *why. interrupted: called by the thread
 * when a client wants the running input to stop. */
Wire *wire_open(const char *connection, void (*interrupted)(void), Buf *why);
/* The next request; NULL: a client has asked to shut down. */
Message *wire_next(Wire *w);
/* Sends on the channel of a request, to its client. */
void wire_answer(Wire *w, const Message *to, const char *type, struct json_object *content);
/* Publishes for all clients; parent: the request, or NULL. What was written to standard output before comes before. */
void wire_publish(Wire *w, const Message *parent, const char *type, struct json_object *content);
/* The request to which standard output belongs from now on; NULL: none, it is dropped. */
void wire_output_of(Wire *w, const Message *m);
/* A line of input from the client of a request: the message `input_reply`. NULL: the wait was interrupted. */
Message *wire_ask(Wire *w, const Message *of, bool (*is_interrupted)(void));
/* Takes the execute requests that wait. */
Message *wire_take_waiting(Wire *w);
/* Sends what is left and ends the thread. */
void wire_close(Wire *w);

/* kernel.c --------------------------------------------------------------------------------------------------------- */

typedef struct Cell {
    const char *text;
    int number; /* of its execution */
} Cell;

typedef struct Kernel {
    Wire *wire;
    Repl repl;
    const Message *request;  /* that is being answered */
    int count;               /* of executions, which clients show as In [N] */
    Vec(Cell) cells;         /* that were executed, in repl.arena */
    /* Of the execution: */
    bool is_silent, asks;      /* nothing is published; standard input may be read */
    Buf errors;                /* diagnostics and failures */
    struct json_object *value; /* the last value, as a MIME bundle; NULL: none yet */
} Kernel;

/* execute.c: where the session prints, what a client's interrupt does, and standard input, which the client types. */
extern const ReplSink kernel_sink;
void kernel_interrupt(void);
void kernel_open_input(Kernel *k);

/* The rows of requests.def: the content of the answer; NULL: there is none. */
#define REQUEST(type, reply, function) struct json_object *function(Kernel *k, struct json_object *content);
#include "jupyter/requests.def"

#endif
