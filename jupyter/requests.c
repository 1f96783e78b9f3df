/* requests.c -- what clients ask about a cell that is being written, and about the kernel. Positions are numbers of
 * Unicode characters. */
#include <ctype.h>
#include <fnmatch.h>
#include <glob.h>
#include <string.h>

#include "jupyter/internal.h"
#include "lexer/lexer.h"
#include "repl/complete.h"

static struct json_object *ok_object(void) {
    struct json_object *o = json_object_new_object();
    json_add_text(o, "status", "ok");
    return o;
}

/* Positions -------------------------------------------------------------------------------------------------------- */

static size_t byte_at(const char *text, int position) {
    size_t at = 0, n = strlen(text);
    for (uint32_t code; position > 0 && at < n; position--) {
        int length = utf8_decode(text + at, n - at, &code);
        at += length ? (size_t)length : 1;
    }
    return at;
}

static int position_of(const char *text, size_t byte) {
    int position = 0;
    for (size_t i = 0; i < byte; i++) position += ((unsigned char)text[i] & 0xC0) != 0x80;
    return position;
}

static bool is_word(char c) { return isalnum((unsigned char)c) || c == '_'; }

/* Completion ------------------------------------------------------------------------------------------------------- */

static void add_files(const char *begin, struct json_object *matches) {
    Buf pattern = {0};
    glob_t found;
    buf_printf(&pattern, "%s*", begin);
    if (!glob(pattern.at, GLOB_MARK | GLOB_TILDE, NULL, &found)) {
        for (size_t i = 0; i < found.gl_pathc; i++)
            json_object_array_add(matches, json_object_new_string(found.gl_pathv[i]));
        globfree(&found);
    }
    buf_free(&pattern);
}

struct json_object *kernel_complete(Kernel *k, struct json_object *content) {
    struct json_object *reply = ok_object(), *matches = json_object_new_array();
    const char *code = json_text(content, "code");
    size_t end = byte_at(code, json_number(content, "cursor_pos")), line = end, start = end;
    Words words;
    while (line && code[line - 1] != '\n') line--;
    bool files = words_want_files(code + line, end - line);
    while (start > line && (files ? !strchr(" \t\"", code[start - 1]) : is_word(code[start - 1]))) start--;
    char *text = arena_strndup(&k->repl.arena, code + line, end - line);
    words_for(k->repl.session, text, end - line, start - line, &words);
    for (int i = 0; i < words.at.n; i++) json_object_array_add(matches, json_object_new_string(words.at.at[i]));
    if (files) add_files(text + (start - line), matches);
    words_free(&words);
    json_object_object_add(reply, "matches", matches);
    json_add_number(reply, "cursor_start", position_of(code, start));
    json_add_number(reply, "cursor_end", position_of(code, end));
    json_object_object_add(reply, "metadata", json_object_new_object());
    return reply;
}

struct json_object *kernel_is_complete(Kernel *k, struct json_object *content) {
    static const char *const words[] = {
        [INPUT_COMPLETE] = "complete", [INPUT_INCOMPLETE] = "incomplete", [INPUT_WRONG] = "invalid"};
    const char *code = json_text(content, "code");
    struct json_object *reply = json_object_new_object();
    size_t n = strlen(code), blanks = strspn(code, " \t\n");
    bool is_other = code[blanks] == ':' || drawing_is(&k->repl, code, n);
    InputState state = is_other ? INPUT_COMPLETE : input_state(code, n);
    Buf indent = {0};
    json_add_text(reply, "status", words[state]);
    for (int depth = highlight_depth(code, n); depth > 0; depth--) buf_puts(&indent, "    ");
    if (state == INPUT_INCOMPLETE) json_add_text(reply, "indent", indent.n ? indent.at : "");
    buf_free(&indent);
    return reply;
}

/* Names ------------------------------------------------------------------------------------------------------------ */

/* A declaration's text, or the type of a variable. */
static bool describe(Kernel *k, const char *name, size_t n, Buf *out) {
    SessionName s;
    for (int i = 0; session_name(k->repl.session, i, &s); i++) {
        if (strncmp(s.name, name, n) || s.name[n]) continue;
        if (s.text && *s.text) buf_puts(out, s.text);
        else buf_printf(out, "%s: %s", s.name, s.type ? s.type : "");
        return true;
    }
    return false;
}

struct json_object *kernel_inspect(Kernel *k, struct json_object *content) {
    struct json_object *reply = ok_object(), *data = json_object_new_object();
    const char *code = json_text(content, "code");
    size_t n = strlen(code), start = byte_at(code, json_number(content, "cursor_pos")), end = start;
    Buf text = {0};
    while (start && is_word(code[start - 1])) start--;
    while (end < n && is_word(code[end])) end++;
    bool found = end > start && describe(k, code + start, end - start, &text);
    json_object_object_add(reply, "found", json_object_new_boolean(found));
    if (found) json_add_text(data, "text/plain", text.at);
    json_object_object_add(reply, "data", data);
    json_object_object_add(reply, "metadata", json_object_new_object());
    buf_free(&text);
    return reply;
}

/* The kernel ------------------------------------------------------------------------------------------------------- */

static struct json_object *history_row(const Cell *cell, bool with_output) {
    struct json_object *row = json_object_new_array(), *both = json_object_new_array();
    json_object_array_add(row, json_object_new_int(0)); /* this session */
    json_object_array_add(row, json_object_new_int(cell->number));
    if (with_output) {
        json_object_array_add(both, json_object_new_string(cell->text));
        json_object_array_add(both, NULL); /* outputs are not kept */
        json_object_array_add(row, both);
    } else {
        json_object_array_add(row, json_object_new_string(cell->text));
        json_object_put(both);
    }
    return row;
}

struct json_object *kernel_history(Kernel *k, struct json_object *content) {
    struct json_object *reply = ok_object(), *rows = json_object_new_array();
    const char *how = json_text(content, "hist_access_type"), *pattern = json_text(content, "pattern");
    bool is_range = !strcmp(how, "range"), is_search = !strcmp(how, "search");
    bool with_output = json_object_get_boolean(json_at(content, "output"));
    int most = json_number(content, "n"), start = json_number(content, "start"), stop = json_number(content, "stop");
    bool is_unique = json_object_get_boolean(json_at(content, "unique"));
    Vec(const Cell *) found = {0};
    for (int i = k->cells.n - 1; i >= 0; i--) { /* the newest first, of which there may be a limit */
        const Cell *cell = &k->cells.at[i];
        if (is_range && (cell->number < start || (stop > 0 && cell->number >= stop))) continue;
        if (is_search && fnmatch(*pattern ? pattern : "*", cell->text, 0)) continue;
        if (!is_range && most > 0 && found.n == most) break;
        bool is_known = false;
        for (int f = 0; f < found.n && is_unique; f++) is_known |= !strcmp(found.at[f]->text, cell->text);
        if (!is_known) vec_push(&k->repl.arena, &found, cell);
    }
    while (found.n) json_object_array_add(rows, history_row(found.at[--found.n], with_output));
    json_object_object_add(reply, "history", rows);
    return reply;
}

struct json_object *kernel_comms(Kernel *k, struct json_object *content) {
    struct json_object *reply = ok_object();
    (void)k, (void)content;
    json_object_object_add(reply, "comms", json_object_new_object());
    return reply;
}

struct json_object *kernel_info(Kernel *k, struct json_object *content) {
    struct json_object *reply = ok_object(), *language = json_object_new_object();
    (void)k, (void)content;
    json_add_text(reply, "protocol_version", "5.3");
    json_add_text(reply, "implementation", "kdslc");
    json_add_text(reply, "implementation_version", KDSL_VERSION);
    json_add_text(language, "name", "kdsl");
    json_add_text(language, "version", KDSL_VERSION);
    json_add_text(language, "mimetype", "text/x-kdsl");
    json_add_text(language, "file_extension", ".kdsl");
    json_add_text(language, "pygments_lexer", "rust"); /* the nearest for static pages */
    json_add_text(language, "codemirror_mode", "rust");
    json_object_object_add(reply, "language_info", language);
    json_add_text(reply, "banner", "KDSL: a cell is an expression, statements or declarations; :help lists commands");
    json_object_object_add(reply, "help_links", json_object_new_array());
    return reply;
}
