/* commands.h -- inputs that begin with a colon, and the drawing of values. */
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

typedef struct Repl {
    Session *session;
    Terminal terminal;
    SessionOptions options;
    bool quiet, leaves, failed; /* failed: an input, of any */
    int exit_code;              /* of exit() */
    Vec(const char *) ran;              /* the inputs that ran, for :save */
    Arena arena;
} Repl;

/* repl.c: one input; a text of several, up to the first that fails. False: one did. */
bool repl_input(Repl *r, const char *text, size_t n);
bool repl_text(Repl *r, const char *file, const char *text, size_t n); /* file: for messages, or NULL */
void repl_say(Repl *r, Buf *text);        /* to standard output; the Buf is empty again */
bool repl_write_file(const char *path, const Buf *text, Buf *why); /* whole or not at all */
void repl_complain(Repl *r, Buf *text);   /* to standard error */
void repl_show_launches(Repl *r);

void crash_watch(void); /* crash.c: last words, where the process ends by a signal */

/* commands.c: `text` begins with the colon. */
bool command_run(Repl *r, const char *text);
bool command_load(Repl *r, const char *path);

/* drawing.c: plot(x), plot(x, y), hist(x), image(m), each perhaps with `to "file.png"`. */
bool drawing_is(Repl *r, const char *text, size_t n);
bool drawing_run(Repl *r, const char *text, size_t n);
extern const char *const drawing_names[]; /* ended by NULL */

#endif
