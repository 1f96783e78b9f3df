/* server.c -- the protocol: messages with a header that says their length, requests and their answers. Texts are
 * checked when no more messages wait; the race analysis follows when the client has been quiet for a while. */
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "lsp/internal.h"

enum {
    QUIET_MS = 300,
    MAX_MESSAGE_BYTES = 1 << 28,
    /* of JSON-RPC and the protocol */
    PARSE_ERROR = -32700, INVALID_REQUEST = -32600, METHOD_NOT_FOUND = -32601, SERVER_NOT_INITIALIZED = -32002,
    REQUEST_FAILED = -32803,
};

static const struct {
    const char *method;
    struct json_object *(*answer)(Server *s, struct json_object *params);
    void (*note)(Server *s, struct json_object *params);
} methods[] = {
#define REQUEST(method, function) {method, function, NULL},
#define NOTIFY(method, function) {method, NULL, function},
#include "lsp/methods.def"
};

/* Messages -------------------------------------------------------------------------------------------------------- */

static void write_all(Server *s, const char *text, size_t n) {
    while (n) {
        ssize_t done = write(s->out, text, n);
        if (done < 0 && errno == EINTR) continue;
        if (done <= 0) {
            s->exits = true; /* nobody reads any more */
            return;
        }
        text += done;
        n -= (size_t)done;
    }
}

static void send_message(Server *s, struct json_object *message) {
    json_add_text(message, "jsonrpc", "2.0");
    const char *text = json_object_to_json_string_ext(message, JSON_C_TO_STRING_PLAIN | JSON_C_TO_STRING_NOSLASHESCAPE);
    Buf all = {0};
    buf_printf(&all, "Content-Length: %zu\r\n\r\n%s", strlen(text), text);
    write_all(s, all.at, all.n);
    buf_free(&all);
    json_object_put(message);
}

void lsp_notify(Server *s, const char *method, struct json_object *params) {
    struct json_object *message = json_object_new_object();
    json_add_text(message, "method", method);
    json_object_object_add(message, "params", params);
    send_message(s, message);
}

static void answer(Server *s, struct json_object *id, struct json_object *result) {
    struct json_object *message = json_object_new_object();
    json_object_object_add(message, "id", json_object_get(id));
    json_object_object_add(message, "result", result);
    send_message(s, message);
}

static void refuse(Server *s, struct json_object *id, int code, const char *why) {
    struct json_object *message = json_object_new_object(), *error = json_object_new_object();
    json_add_number(error, "code", code);
    json_add_text(error, "message", why);
    json_object_object_add(message, "id", json_object_get(id));
    json_object_object_add(message, "error", error);
    send_message(s, message);
}

static void dispatch(Server *s, struct json_object *message) {
    const char *method = json_text(message, "method");
    struct json_object *id = json_at(message, "id"), *params = json_at(message, "params");
    if (!*method) {
        if (id && !json_at(message, "result") && !json_at(message, "error"))
            refuse(s, id, INVALID_REQUEST, "the request names no method");
        return;
    }
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
        if (strcmp(methods[i].method, method)) continue;
        if (methods[i].answer && !id) return;
        if (methods[i].note) {
            if (s->initialized || !strcmp(method, "exit")) methods[i].note(s, params);
        } else if (!s->initialized && strcmp(method, "initialize")) {
            refuse(s, id, SERVER_NOT_INITIALIZED, "the first request is `initialize`");
        } else if (s->has_shut_down) {
            refuse(s, id, INVALID_REQUEST, "the server has shut down");
        } else {
            s->refusal = NULL;
            struct json_object *result = methods[i].answer(s, params);
            if (s->refusal) json_object_put(result), refuse(s, id, REQUEST_FAILED, s->refusal);
            else answer(s, id, result);
        }
        return;
    }
    if (id) refuse(s, id, METHOD_NOT_FOUND, "the server has no such method");
}

/* Input ----------------------------------------------------------------------------------------------------------- */

/* The bytes of the first message, and where it begins; 0: it is not complete; -1: that is no message. */
static long first_message(const Server *s, size_t *from) {
    const char *text = s->input.n ? s->input.at : "", *end = memmem(text, s->input.n, "\r\n\r\n", 4);
    if (!end) return s->input.n > 1 << 16 ? -1 : 0;
    *from = (size_t)(end - text) + 4;
    long n = -1;
    for (const char *line = text; line < end;) {
        static const char name[] = "content-length:";
        if (!strncasecmp(line, name, sizeof name - 1)) n = strtol(line + sizeof name - 1, NULL, 10);
        const char *next = memmem(line, (size_t)(end - line), "\r\n", 2);
        line = next ? next + 2 : end;
    }
    if (n <= 0 || n > MAX_MESSAGE_BYTES) return -1;
    return s->input.n - *from >= (size_t)n ? n : 0;
}

static bool take_message(Server *s) {
    size_t from = 0;
    long n = first_message(s, &from);
    if (n < 0) s->exits = true;
    if (n <= 0) return false;
    struct json_tokener *reader = json_tokener_new();
    struct json_object *message = json_tokener_parse_ex(reader, s->input.at + from, (int)n);
    if (message && json_tokener_get_error(reader) == json_tokener_success) dispatch(s, message);
    else refuse(s, NULL, PARSE_ERROR, "the message is not JSON");
    json_object_put(message);
    json_tokener_free(reader);
    from += (size_t)n;
    memmove(s->input.at, s->input.at + from, s->input.n - from);
    s->input.n -= from;
    return true;
}

static bool is_readable(const Server *s, int ms) {
    struct pollfd in = {.fd = s->in, .events = POLLIN};
    return poll(&in, 1, ms) != 0;
}

static bool read_more(Server *s) {
    char block[1 << 16];
    ssize_t n = read(s->in, block, sizeof block);
    if (n < 0 && errno == EINTR) return true;
    if (n <= 0) return false;
    buf_add(&s->input, block, (size_t)n);
    return true;
}

static bool wants_races(const Server *s) {
    for (int i = 0; i < s->n_documents; i++)
        if (s->documents[i]->wants_races) return true;
    return false;
}

static void check_all(Server *s, bool with_races) {
    for (int i = 0; i < s->n_documents; i++) document_check(s, s->documents[i], with_races);
}

int lsp_serve(int in, int out, LspCheck check) {
    Server s = {.in = in, .out = out, .check = check};
    while (!s.exits) {
        if (take_message(&s)) continue;
        if (s.exits) break;
        if (!is_readable(&s, 0)) {
            check_all(&s, false);
            if (wants_races(&s) && !is_readable(&s, QUIET_MS)) check_all(&s, true);
        }
        if (!read_more(&s)) break;
    }
    while (s.n_documents) {
        struct json_object *params = json_object_new_object(), *document = json_object_new_object();
        json_add_text(document, "uri", s.documents[0]->uri);
        json_object_object_add(params, "textDocument", document);
        lsp_closed(&s, params);
        json_object_put(params);
    }
    free(s.documents);
    buf_free(&s.input);
    return s.has_shut_down ? 0 : 1;
}

/* Beginning and end ----------------------------------------------------------------------------------------------- */

static const char *const token_types[] = {"keyword", "type", "function", "variable", "parameter", "property", "number",
                                          "string", "struct", "namespace"};

static struct json_object *texts(const char *const *at, size_t n) {
    struct json_object *list = json_object_new_array();
    for (size_t i = 0; i < n; i++) json_object_array_add(list, json_object_new_string(at[i]));
    return list;
}

static struct json_object *capabilities(const Server *s) {
    struct json_object *all = json_object_new_object(), *sync = json_object_new_object();
    struct json_object *tokens = json_object_new_object(), *legend = json_object_new_object();
    struct json_object *completion = json_object_new_object(), *signature = json_object_new_object();
    struct json_object *rename = json_object_new_object();
    json_add_text(all, "positionEncoding", s->utf8 ? "utf-8" : "utf-16");
    json_add_true(sync, "openClose");
    json_add_number(sync, "change", 2); /* ranges */
    json_add_true(sync, "save");
    json_object_object_add(all, "textDocumentSync", sync);
    const char *const yes[] = {"codeActionProvider", "definitionProvider", "documentHighlightProvider",
                               "documentFormattingProvider", "documentRangeFormattingProvider",
                               "documentSymbolProvider", "hoverProvider", "inlayHintProvider", "referencesProvider"};
    for (size_t i = 0; i < sizeof yes / sizeof *yes; i++) json_add_true(all, yes[i]);
    json_add_true(rename, "prepareProvider");
    json_object_object_add(all, "renameProvider", rename);
    json_object_object_add(completion, "triggerCharacters", texts((const char *const[]){"."}, 1));
    json_object_object_add(all, "completionProvider", completion);
    json_object_object_add(signature, "triggerCharacters", texts((const char *const[]){"(", ","}, 2));
    json_object_object_add(all, "signatureHelpProvider", signature);
    json_object_object_add(legend, "tokenTypes", texts(token_types, sizeof token_types / sizeof *token_types));
    json_object_object_add(legend, "tokenModifiers", texts((const char *const[]){"declaration", "readonly"}, 2));
    json_object_object_add(tokens, "legend", legend);
    json_add_true(tokens, "full");
    json_object_object_add(all, "semanticTokensProvider", tokens);
    return all;
}

struct json_object *lsp_initialize(Server *s, struct json_object *params) {
    struct json_object *offered = json_at(params, "capabilities.general.positionEncodings");
    for (size_t i = 0; json_object_is_type(offered, json_type_array) && i < json_object_array_length(offered); i++)
        if (!strcmp(json_text(json_object_array_get_idx(offered, i), ""), "utf-8")) s->utf8 = true;
    s->initialized = true;
    struct json_object *result = json_object_new_object(), *info = json_object_new_object();
    json_object_object_add(result, "capabilities", capabilities(s));
    json_add_text(info, "name", "kdslc");
    json_object_object_add(result, "serverInfo", info);
    return result;
}

struct json_object *lsp_shutdown(Server *s, struct json_object *params) {
    (void)params;
    s->has_shut_down = true;
    return NULL;
}

void lsp_exit(Server *s, struct json_object *params) {
    (void)params;
    s->exits = true;
}
