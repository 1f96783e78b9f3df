/* edit.c -- line editing with readline, which keeps the text, the key bindings and the history. This file implements
 * display, the end of an input and completion. An input may have several lines, which are one text with one undo list
 * and one history entry. Readline has global state and callbacks without a context argument, so the state of the
 * callbacks is in the global `editor`. */
#include "repl/terminal.h"

#include <ctype.h>
#include <langinfo.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

#include <readline/history.h>
#include <readline/readline.h>

#include "repl/display.h"

enum { INDENT = 4, HISTORY_MOST = 5000, LISTED_MOST = 200 };

static struct {
    EditHow how;
    Display display;
    char *history_path; /* NULL: the history is not saved */
    bool discarded;
    Words words; /* of the completion in progress */
    int next_word;
} editor;

static void send(Buf *b) {
    fwrite(b->at, 1, b->n, rl_outstream);
    fflush(rl_outstream);
    buf_free(b);
}

/* ---- display ---- */

static void redisplay(bool match) {
    Buf out = {0};
    DisplayText t = {.prompt = rl_display_prompt ? rl_display_prompt : "",
                     .more = editor.how.more,
                     .text = rl_line_buffer,
                     .n = (size_t)rl_end,
                     .cursor = (size_t)rl_point,
                     .colour = editor.how.colour,
                     .match = match};
    rl_get_screen_size(&t.rows, &t.columns);
    display_update(&editor.display, &t, &out);
    send(&out);
}

static bool more_is_typed(void) {
    int n = 0;
    return !ioctl(STDIN_FILENO, FIONREAD, &n) && n > 0;
}

/* Skips redisplay while more input is pending. */
static void redisplay_now(void) {
    if (!more_is_typed()) redisplay(true);
}

static void leave_line(void) {
    Buf out = {0};
    display_leave(&editor.display, &out);
    send(&out);
}

static void finish(void) {
    rl_point = rl_end;
    redisplay(false);
    leave_line();
    rl_done = 1;
}

/* ---- keys ---- */

static int line_start(int at) {
    while (at > 0 && rl_line_buffer[at - 1] != '\n') at--;
    return at;
}

static int line_end(int at) {
    while (at < rl_end && rl_line_buffer[at] != '\n') at++;
    return at;
}

static bool is_blank(int from, int to) {
    while (from < to && (rl_line_buffer[from] == ' ' || rl_line_buffer[from] == '\t')) from++;
    return from == to;
}

/* True if the input ends with two blank lines: then it is executed although it is incomplete, to show its errors. */
static bool gives_up(void) {
    int last = line_start(rl_end);
    return rl_point == rl_end && last > 0 && is_blank(last, rl_end) && is_blank(line_start(last - 1), last - 1);
}

static int key_new_line(int count, int key) {
    (void)count, (void)key;
    rl_insert_text("\n");
    if (more_is_typed()) return 0; /* pasted text has its own indentation */
    for (int depth = highlight_depth(rl_line_buffer, (size_t)rl_point); depth > 0; depth--) rl_insert_text("    ");
    return 0;
}

static int key_enter(int count, int key) {
    if (editor.how.unfinished(rl_line_buffer, (size_t)rl_end) && !gives_up()) return key_new_line(count, key);
    finish();
    return 0;
}

static int key_discard(int count, int key) {
    (void)count, (void)key;
    editor.discarded = true;
    rl_point = rl_end;
    redisplay(false);
    fputs("^C", rl_outstream);
    leave_line();
    rl_done = 1;
    return 0;
}

/* A closing brace at the start of a line is indented by one level less. */
static int key_brace(int count, int key) {
    int start = line_start(rl_point);
    if (rl_point - start >= INDENT && is_blank(start, rl_point))
        rl_delete_text(rl_point - INDENT, rl_point), rl_point -= INDENT;
    return rl_insert(count, key);
}

static void go_to_column(int start, int column) {
    int end = line_end(start);
    rl_point = start + column < end ? start + column : end;
}

static int key_up(int count, int key) {
    int start = line_start(rl_point);
    if (!start) return rl_get_previous_history(count, key);
    go_to_column(line_start(start - 1), rl_point - start);
    return 0;
}

static int key_down(int count, int key) {
    int end = line_end(rl_point);
    if (end == rl_end) return rl_get_next_history(count, key);
    go_to_column(end + 1, rl_point - line_start(rl_point));
    return 0;
}

static int key_home(int count, int key) {
    (void)count, (void)key;
    rl_point = line_start(rl_point);
    return 0;
}

static int key_end(int count, int key) {
    (void)count, (void)key;
    rl_point = line_end(rl_point);
    return 0;
}

/* After blanks there is nothing to complete, so Tab inserts an indentation. */
static int key_tab(int count, int key) {
    if (!is_blank(line_start(rl_point), rl_point)) return rl_complete(count, key);
    do rl_insert_text(" ");
    while ((rl_point - line_start(rl_point)) % INDENT);
    return 0;
}

static void bind_keys(void) {
    static const struct {
        const char *keys;
        rl_command_func_t *does;
    } rows[] = {
        {"\r", key_enter},
        {"\n", key_enter},
        {"\033\r", key_new_line},
        {"\033\n", key_new_line},
        {"\003", key_discard},
        {"\t", key_tab},
        {"}", key_brace},
        {"\033[A", key_up},
        {"\033OA", key_up},
        {"\020", key_up},
        {"\033[B", key_down},
        {"\033OB", key_down},
        {"\016", key_down},
        {"\001", key_home},
        {"\033[H", key_home},
        {"\033OH", key_home},
        {"\033[1~", key_home},
        {"\005", key_end},
        {"\033[F", key_end},
        {"\033OF", key_end},
        {"\033[4~", key_end},
        {"\033[1;5C", rl_forward_word},
        {"\033[1;5D", rl_backward_word},
    };
    Keymap maps[] = {emacs_standard_keymap, vi_insertion_keymap};
    for (size_t m = 0; m < sizeof maps / sizeof maps[0]; m++)
        for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
            rl_bind_keyseq_in_map(rows[i].keys, rows[i].does, maps[m]);
    rl_bind_key_in_map('\r', key_enter, vi_movement_keymap);
    rl_bind_key_in_map('\003', key_discard, vi_movement_keymap);
}

/* Ctrl-C is a key while an input is typed, and a signal while one is executed. */
static void prepare(int meta) {
    struct termios t;
    rl_prep_terminal(meta);
    if (tcgetattr(STDIN_FILENO, &t)) return;
    t.c_cc[VINTR] = _POSIX_VDISABLE;
    tcsetattr(STDIN_FILENO, TCSADRAIN, &t);
}

/* ---- completion ---- */

/* Where a file name may be, its whole path is one word. */
static char *break_characters(void) {
    bool files = words_want_files(rl_line_buffer, (size_t)rl_point);
    return files ? " \t\n\"" : " \t\n\"\\'`@$><=;|&{}()[],+-*/%^!~?:.";
}

static char *next_word(const char *text, int again) {
    (void)text;
    if (!again) editor.next_word = 0;
    return editor.next_word < editor.words.at.n ? strdup(editor.words.at.at[editor.next_word++]) : NULL;
}

static char **complete(const char *text, int start, int end) {
    words_for(editor.how.session, rl_line_buffer, (size_t)end, (size_t)start, &editor.words);
    bool files = editor.words.files;
    char **found = rl_completion_matches(text, files ? rl_filename_completion_function : next_word);
    words_free(&editor.words);
    rl_attempted_completion_over = 1;
    rl_completion_append_character = 0;
    rl_filename_completion_desired = files;
    return found;
}

static const char *last_part(const char *path) {
    const char *slash = rl_filename_completion_desired ? strrchr(path, '/') : NULL;
    return slash ? slash + 1 : path;
}

/* Prints the list below the text, in columns; the prompt and text are printed again below it. */
static void show_words(char **words, int n, int widest) {
    int rows, columns;
    rl_get_screen_size(&rows, &columns);
    leave_line();
    int shown = n < LISTED_MOST ? n : LISTED_MOST, across = columns / (widest + 2);
    if (across < 1) across = 1;
    int down = (shown + across - 1) / across;
    for (int r = 0; r < down; r++) {
        for (int i = r; i < shown; i += down)
            fprintf(rl_outstream, "%-*s", i + down < shown ? widest + 2 : 0, last_part(words[i + 1]));
        fputs("\r\n", rl_outstream);
    }
    if (shown < n) fprintf(rl_outstream, "and %d more\r\n", n - shown);
    rl_on_new_line();
}

/* ---- history file ---- */

/* In $XDG_STATE_HOME, by default ~/.local/state; NULL: there is no such folder. */
static char *history_file(void) {
    const char *state = getenv("XDG_STATE_HOME"), *home = getenv("HOME");
    Buf path = {0};
    if (state && *state == '/') buf_puts(&path, state);
    else if (home && *home == '/') buf_printf(&path, "%s/.local/state", home);
    else return NULL;
    buf_puts(&path, "/kdslc/");
    for (char *slash = path.at + 1; (slash = strchr(slash, '/')); slash++) {
        *slash = 0;
        mkdir(path.at, 0700);
        *slash = '/';
    }
    buf_puts(&path, "history");
    return path.at;
}

static void open_history(void) {
    using_history();
    history_write_timestamps = 1; /* timestamps separate entries, which may have several lines */
    history_comment_char = '#';
    stifle_history(HISTORY_MOST);
    if (!editor.how.keep_history || !(editor.history_path = history_file())) return;
    FILE *file = fopen(editor.history_path, "a");
    if (file) fclose(file);
    history_truncate_file(editor.history_path, HISTORY_MOST);
    read_history(editor.history_path);
}

void edit_remember(const char *input) {
    HIST_ENTRY *last = history_length ? history_get(history_base + history_length - 1) : NULL;
    if (last && !strcmp(last->line, input)) return;
    char stamp[32];
    snprintf(stamp, sizeof stamp, "#%lld", (long long)time(NULL));
    add_history(input);
    add_history_time(stamp);
    if (editor.history_path) append_history(1, editor.history_path);
}

void edit_history(int last, Buf *out) {
    for (int i = history_length > last ? history_length - last : 0; i < history_length; i++)
        buf_printf(out, "%s\n", history_get(history_base + i)->line);
}

/* ---- */

void edit_typed(const char *bytes, size_t n) {
    for (size_t i = 0; i < n; i++) rl_stuff_char((unsigned char)bytes[i]);
}

void edit_open(const EditHow *how) {
    editor.how = *how;
    setlocale(LC_CTYPE, "");
    if (strcmp(nl_langinfo(CODESET), "UTF-8")) setlocale(LC_CTYPE, "C.UTF-8"); /* sources are UTF-8 */
    rl_readline_name = "kdslc";
    rl_catch_signals = 1;
    rl_initialize();
    rl_variable_bind("bell-style", "none");
    rl_variable_bind("enable-bracketed-paste", "on");
    rl_variable_bind("show-all-if-ambiguous", "on");
    rl_redisplay_function = redisplay_now;
    rl_prep_term_function = prepare;
    rl_completion_word_break_hook = break_characters;
    rl_attempted_completion_function = complete;
    rl_completion_display_matches_hook = show_words;
    bind_keys();
    open_history();
}

EditEnd edit_read(Buf *input) {
    editor.display = (Display){0};
    editor.discarded = false;
    char *line = readline(editor.how.prompt);
    if (!line) leave_line();
    if (!line) return EDIT_LEFT;
    buf_puts(input, line);
    free(line);
    return editor.discarded ? EDIT_DISCARDED : EDIT_INPUT;
}
