/* terminal.c -- detects the capabilities of the terminal: by environment variables, else by a query to the terminal. */
#include "repl/terminal.h"

#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

static const char *variable(const char *name) {
    const char *value = getenv(name);
    return value ? value : "";
}

static Depth depth_of_environment(void) {
    const char *how = variable("COLORTERM"), *term = variable("TERM");
    if (!strcmp(how, "truecolor") || !strcmp(how, "24bit") || strstr(term, "direct")) return DEPTH_TRUE;
    return strcmp(term, "dumb") ? DEPTH_256 : DEPTH_NONE;
}

void terminal_look(Terminal *t, bool colour) {
    *t = (Terminal){.interactive = isatty(STDIN_FILENO) && isatty(STDOUT_FILENO)};
    if (colour) t->depth = depth_of_environment();
}

void terminal_size(const Terminal *t, int *columns, int *rows) {
    struct winsize size = {0};
    if (t->interactive) ioctl(STDOUT_FILENO, TIOCGWINSZ, &size);
    else size.ws_col = (unsigned short)atoi(variable("COLUMNS"));
    *columns = size.ws_col ? size.ws_col : 80;
    *rows = size.ws_row ? size.ws_row : 24;
}

/* ---- graphics ---- */

/* Terminals that are recognised by environment variables; a multiplexer in between does not pass graphics on. */
static Graphics graphics_of_environment(void) {
    static const struct {
        const char *variable, *value;
        Graphics graphics;
    } rows[] = {
        {"KDSL_GRAPHICS", "cells", GRAPHICS_CELLS},
        {"KDSL_GRAPHICS", "sixel", GRAPHICS_SIXEL},
        {"KDSL_GRAPHICS", "kitty", GRAPHICS_KITTY},
        {"TERM", "screen", GRAPHICS_CELLS},
        {"TERM", "tmux", GRAPHICS_CELLS},
        {"TERM", "linux", GRAPHICS_CELLS},
        {"TERM", "xterm-kitty", GRAPHICS_KITTY},
        {"TERM", "xterm-ghostty", GRAPHICS_KITTY},
        {"TERM_PROGRAM", "WezTerm", GRAPHICS_KITTY},
        {"TERM_PROGRAM", "ghostty", GRAPHICS_KITTY},
        {"TERM", "foot", GRAPHICS_SIXEL},
        {"TERM", "mlterm", GRAPHICS_SIXEL},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (!strncmp(variable(rows[i].variable), rows[i].value, strlen(rows[i].value))) return rows[i].graphics;
    return GRAPHICS_UNKNOWN;
}

/* "ESC [ ? 62 ; 4 ; 6 c": the 4 means sixel. Returns the length of a response at text[0..n); 0: there is none, or it is
 * incomplete. */
static size_t answer_length(const char *text, size_t n) {
    if (n < 4 || strncmp(text, "\033[?", 3)) return 0;
    size_t i = 3;
    while (i < n && strchr("0123456789;", text[i])) i++;
    return i < n && text[i] == 'c' ? i + 1 : 0;
}

static bool tells_sixel(const char *answer) {
    for (const char *at = strchr(answer, ';'); at && at[1]; at = strchr(at + 1, ';'))
        if (at[1] == '4' && (at[2] == ';' || at[2] == 'c')) return true;
    return false;
}

/* Reads until the response is complete, or a timeout; other bytes are returned to the input. */
static bool read_answer(void) {
    enum { PATIENCE_MS = 150 };
    char text[256];
    size_t n = 0, length = 0, start = 0;
    struct pollfd in = {.fd = STDIN_FILENO, .events = POLLIN};
    while (!length && n < sizeof text - 1 && poll(&in, 1, PATIENCE_MS) > 0) {
        ssize_t got = read(STDIN_FILENO, text + n, sizeof text - 1 - n);
        if (got <= 0) break;
        n += (size_t)got;
        text[n] = 0;
        for (start = 0; start < n && !length; start += !length) length = answer_length(text + start, n - start);
    }
    bool sixel = length && tells_sixel(text + start);
    edit_typed(text, start);
    edit_typed(text + start + length, n - start - length);
    return sixel;
}

/* Queries the terminal's Primary Device Attributes, without echo and line buffering. */
static bool terminal_has_sixel(void) {
    struct termios before, raw;
    if (tcgetattr(STDIN_FILENO, &before)) return false;
    raw = before;
    raw.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
    tcsetattr(STDIN_FILENO, TCSANOW, &raw);
    bool sixel = write(STDOUT_FILENO, "\033[c", 3) == 3 && read_answer();
    tcsetattr(STDIN_FILENO, TCSANOW, &before);
    return sixel;
}

Graphics terminal_graphics(Terminal *t) {
    if (!t->interactive || t->depth == DEPTH_NONE) return GRAPHICS_CELLS;
    if (t->graphics == GRAPHICS_UNKNOWN) t->graphics = graphics_of_environment();
    if (t->graphics == GRAPHICS_UNKNOWN) t->graphics = terminal_has_sixel() ? GRAPHICS_SIXEL : GRAPHICS_CELLS;
    return t->graphics;
}
