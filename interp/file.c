/* file.c -- files and standard input. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "interp/run.h"

static Expr *arg(const Expr *e, int i) { return e->call.args.at[i].value; }

static _Noreturn void cannot(Frame *f, Expr *e, const char *what, const char *path, int error) {
    interp_fail(f, e->span, "cannot %s `%s`: %s", what, path, strerror(error));
}

static void write_to(Frame *f, Expr *e, const char *path, const char *mode) {
    Expr *data = arg(e, 1);
    bool is_array = data->type->kind == TY_ARRAY;
    Array a = {0};
    const char *at;
    size_t n;
    if (is_array) {
        a = interp_array(f, data);
        at = a.data;
        n = (size_t)interp_bytes(data->type, &a);
    } else {
        at = interp_scalar(f, data).s.at;
        n = strlen(at);
    }
    FILE *file = fopen(path, mode);
    bool ok = file && fwrite(at, 1, n, file) == n;
    int error = errno;
    if (file && fclose(file) && ok) ok = false, error = errno;
    if (!ok) cannot(f, e, "write", path, error);
}

static const char *read_all(Frame *f, Expr *e, const char *path) {
    FILE *file = fopen(path, "r");
    char *text = NULL;
    size_t n = 0, cap = 0, got;
    if (!file) cannot(f, e, "read", path, errno);
    do {
        text = realloc(text, (cap = cap * 2 + 4096) + 1);
        if (!text) abort();
        n += got = fread(text + n, 1, cap - n, file);
    } while (got);
    if (ferror(file)) cannot(f, e, "read", path, errno);
    fclose(file);
    text[n] = '\0';
    if (strlen(text) != n)
        interp_fail(f, e->span, FAILURE_NOT_TEXT, path);
    return text;
}

static void read_array(Frame *f, Expr *e, const char *path) {
    long long first = interp_index(f, arg(e, 1));
    Expr *to = arg(e, 2);
    Array a = interp_array(f, to);
    long long n = interp_bytes(to->type, &a);
    if (first < 0) interp_fail(f, e->span, FAILURE_OFFSET, path, first);
    FILE *file = fopen(path, "r");
    if (!file || fseek(file, (long)first, SEEK_SET)) cannot(f, e, "read", path, errno);
    long long got = (long long)fread(a.data, 1, (size_t)n, file);
    if (ferror(file)) cannot(f, e, "read", path, errno);
    fclose(file);
    char needs[FAILURE_SIZE_BYTES], has[FAILURE_SIZE_BYTES];
    if (got < n)
        interp_fail(f, e->span, FAILURE_TOO_SHORT, interp_array_name(f, to), interp_shape_text(f, to->type, a.ext),
                    failure_size(needs, n), path, failure_size(has, got), first);
}

static int64_t size_of(Frame *f, Expr *e, const char *path) {
    struct stat about;
    if (stat(path, &about)) cannot(f, e, "read", path, errno);
    if (S_ISDIR(about.st_mode)) cannot(f, e, "read", path, EISDIR);
    return about.st_size;
}

static const char *read_line(Frame *f, Expr *e) {
    char *line = NULL;
    size_t cap = 0;
    ssize_t n = getline(&line, &cap, stdin);
    if (n < 0) interp_fail(f, e->span, FAILURE_INPUT_ENDED);
    if (n > 0 && line[n - 1] == '\n') n--;
    if (n > 0 && line[n - 1] == '\r') n--;
    line[n] = '\0';
    if (strlen(line) != (size_t)n) interp_fail(f, e->span, FAILURE_INPUT_NOT_TEXT);
    return line;
}

static bool input_ended(void) {
    int c = getc(stdin);
    if (c != EOF) ungetc(c, stdin);
    return c == EOF;
}

static Const text_of(const char *text) { return (Const){.kind = CONST_STR, .s = {text, strlen(text)}}; }

static const char *path_of(Frame *f, Expr *e) { return interp_scalar(f, arg(e, 0)).s.at; }

void run_write_file(Frame *f, Expr *e, void *to) {
    (void)to;
    write_to(f, e, path_of(f, e), e->call.info->builtin == BUILTIN_APPEND_FILE ? "a" : "w");
}

void run_read_file(Frame *f, Expr *e, void *to) { interp_store(e->type, to, text_of(read_all(f, e, path_of(f, e)))); }

void run_read_array(Frame *f, Expr *e, void *to) {
    (void)to;
    read_array(f, e, path_of(f, e));
}

void run_file_exists(Frame *f, Expr *e, void *to) {
    interp_store(e->type, to, const_bool(!access(path_of(f, e), F_OK)));
}

void run_file_size(Frame *f, Expr *e, void *to) { interp_store(e->type, to, const_int(size_of(f, e, path_of(f, e)))); }
void run_read_line(Frame *f, Expr *e, void *to) { interp_store(e->type, to, text_of(read_line(f, e))); }

void run_input_ended(Frame *f, Expr *e, void *to) {
    (void)f;
    interp_store(e->type, to, const_bool(input_ended()));
}
