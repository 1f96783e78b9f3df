/* install.c -- the kernelspec: a folder with kernel.json, which tells Jupyter how the kernel is started. */
#include <errno.h>
#include <json-c/json.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/base.h"
#include "jupyter/jupyter.h"
#include "repl/commands.h"

enum { MOST_PATH = 4096 };

/* Where Jupyter looks for kernels of the user, https://docs.jupyter.org/en/latest/use/jupyter-directories.html; "": the
 * user has no home. */
static void data_folder(const char *prefix, Buf *out) {
    const char *own = getenv("JUPYTER_DATA_DIR"), *data = getenv("XDG_DATA_HOME"), *home = getenv("HOME");
    if (*prefix) buf_printf(out, "%s/share/jupyter", prefix);
    else if (own && *own) buf_puts(out, own);
    else if (data && *data == '/') buf_printf(out, "%s/jupyter", data);
    else if (home && *home == '/') buf_printf(out, "%s/.local/share/jupyter", home);
}

static bool make_folders(const char *path) {
    char *copy = strdup(path);
    bool ok = copy != NULL;
    for (char *slash = copy ? strchr(copy + 1, '/') : NULL; ok && slash; slash = strchr(slash + 1, '/')) {
        *slash = 0;
        ok = !mkdir(copy, 0777) || errno == EEXIST;
        *slash = '/';
    }
    free(copy);
    return ok;
}

static void spec_text(const char *kdslc, Buf *out) {
    struct json_object *spec = json_object_new_object(), *argv = json_object_new_array();
    const char *const words[] = {kdslc, "jupyter", "{connection_file}"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        json_object_array_add(argv, json_object_new_string(words[i]));
    json_object_object_add(spec, "argv", argv);
    json_object_object_add(spec, "display_name", json_object_new_string("KDSL"));
    json_object_object_add(spec, "language", json_object_new_string("kdsl"));
    json_object_object_add(spec, "interrupt_mode", json_object_new_string("signal"));
    buf_puts(out, json_object_to_json_string_ext(spec, JSON_C_TO_STRING_PRETTY | JSON_C_TO_STRING_NOSLASHESCAPE));
    buf_putc(out, '\n');
    json_object_put(spec);
}

int jupyter_install(const char *prefix) {
    char kdslc[MOST_PATH];
    Buf path = {0}, text = {0}, why = {0};
    ssize_t n = readlink("/proc/self/exe", kdslc, sizeof kdslc - 1);
    kdslc[n > 0 ? n : 0] = 0;
    data_folder(prefix, &path);
    bool ok = path.n && n > 0;
    if (!path.n) buf_puts(&why, "there is no home folder for it: use `kdslc jupyter --install=PREFIX`\n");
    buf_puts(&path, "/kernels/kdsl/kernel.json");
    if (ok && !make_folders(path.at)) {
        buf_printf(&why, "cannot make the folder of `%s`: %s\n", path.at, strerror(errno));
        ok = false;
    }
    spec_text(kdslc, &text);
    ok = ok && repl_write_file(path.at, &text, &why);
    if (ok) printf("%s\n", path.at);
    else fprintf(stderr, "kdslc: error: %s", why.n ? why.at : "the kernel cannot be installed\n");
    buf_free(&path);
    buf_free(&text);
    buf_free(&why);
    return ok ? 0 : 1;
}
