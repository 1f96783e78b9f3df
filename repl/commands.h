/* commands.h -- commands, which are inputs that begin with a colon, and drawings of values. */
#ifndef KDSL_COMMANDS_H
#define KDSL_COMMANDS_H

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

typedef struct Repl {
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

/* repl.c: repl_input executes one input; repl_text a text of several inputs, until one fails. false: an input
 * failed. */
bool repl_input(Repl *r, const char *text, size_t n);
bool repl_text(Repl *r, const char *file, const char *text, size_t n); /* file: for messages, or NULL */
void repl_say(Repl *r, Buf *text);        /* prints to standard output, and empties the Buf */
bool repl_write_file(const char *path, const Buf *text, Buf *why); /* replaces the file atomically */
void repl_complain(Repl *r, Buf *text);   /* to standard error */
void repl_show_launches(Repl *r); /* of this session, the last ones */

void crash_watch(void); /* crash.c: prints a message if a signal ends the process */

/* commands.c: executes a command; `text` begins with the colon */
bool command_run(Repl *r, const char *text);
extern const char repl_mark[]; /* the beginning of the line that :save writes before each input */
bool command_load(Repl *r, const char *path);

/* drawing.c: plot(x), plot(x, y), hist(x), image(m), each optionally with `to "file.png"` */
bool drawing_is(Repl *r, const char *text, size_t n);
bool drawing_run(Repl *r, const char *text, size_t n);
extern const char *const drawing_names[]; /* NULL-terminated */

#endif
