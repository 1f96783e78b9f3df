/* commands.h -- inputs of a session and what is printed for them: code, commands, which begin with a colon, and
 * drawings of values. repl.c reads inputs from a terminal, jupyter/ from a notebook. */
#ifndef KDSL_COMMANDS_H
#define KDSL_COMMANDS_H

#include "repl/repl.h"
#include "repl/session.h"
#include "repl/terminal.h"

typedef enum CommandId {
#define COMMAND(id, name, arguments, help) COMMAND_##id,
#include "repl/commands.def"
    COMMAND__COUNT
} CommandId;
typedef struct CommandInfo {
    const char *name, *arguments, *help;
} CommandInfo;
extern const CommandInfo command_info[COMMAND__COUNT];

typedef struct Ran {
    const char *text;
    bool failed;      /* at run time: what it did until then remains */
    const char *file; /* in whose folder its modules are searched; NULL: it imports none, or was typed */
    int lines_before;
} Ran;

/* Where results go. The text in a Buf is the caller's. */
typedef struct ReplSink {
    void (*say)(void *to, const Buf *text);      /* answers, and a line for each launch */
    void (*complain)(void *to, const Buf *text); /* diagnostics and failures, with a newline at the end */
    void (*value)(void *to, const SessionValue *v);
    /* A drawing, to be shown `width` units wide, and the same as text. */
    void (*picture)(void *to, const Raster *pixels, int width, const Buf *text);
} ReplSink;

typedef struct Repl {
    const ReplSink *sink; /* NULL: the terminal, or standard output and standard error */
    void *to;             /* of the sink's functions */
    Session *session;
    Terminal terminal;
    SessionOptions options;
    bool quiet, leaves, failed; /* failed: some input has failed */
    int exit_code;              /* the argument of exit() */
    Vec(Ran) ran;                       /* inputs that were executed, for :save */
    int n_stopped;                      /* inputs that were stopped while they ran: not in `ran` */
    bool may_fail;                      /* this input failed when it was saved */
    const char *file;                   /* that is being loaded, and the lines before this input; NULL: it is typed */
    int lines_before;
    Vec(const char *) launches;         /* a line for each launch of this session, for :launches */
    Arena arena;
} Repl;

/* repl.c. repl_open creates the session, and prints why there is none (false), to `sink` if it is set. repl_input
 * executes one input; repl_text a text of several inputs, until one fails. false: an input failed. */
bool repl_open(Repl *r, const ReplOptions *options);
void repl_close(Repl *r);
bool repl_input(Repl *r, const char *text, size_t n);
bool repl_text(Repl *r, const char *file, const char *text, size_t n); /* file: for messages, or NULL */
void repl_say(Repl *r, Buf *text);        /* an answer; empties the Buf */
bool repl_write_file(const char *path, const Buf *text, Buf *why); /* replaces the file atomically */
void repl_complain(Repl *r, Buf *text);   /* an error; empties the Buf */
void repl_show_launches(Repl *r); /* of this session, the last ones */

/* crash.c: prints a message with this advice if a signal ends the process; waits: until another thread has read it. */
void crash_watch(const char *advice, bool waits);

/* commands.c: executes a command; `text` begins with the colon */
bool command_run(Repl *r, const char *text);
extern const char repl_mark[]; /* the beginning of the line that :save writes before each input */
bool command_load(Repl *r, const char *path);

/* drawing.c: plot(x), plot(x, y), hist(x), image(m), each optionally with `to "file.png"`. drawing_start: where the
 * last statement of the text begins, if it is a drawing after others; else 0. */
size_t drawing_start(Repl *r, const char *text, size_t n);
bool drawing_is(Repl *r, const char *text, size_t n);
bool drawing_run(Repl *r, const char *text, size_t n);
extern const char *const drawing_names[]; /* NULL-terminated */

#endif
