/* off_write_file: whole or not at all, whatever the path is and whatever goes wrong. */
#define _GNU_SOURCE
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "offload/offload.h"

static int n_failed;
static char folder[64];

static const char *in(const char *name) {
    static char path[4][512];
    static int turn;
    char *p = path[turn++ % 4];
    snprintf(p, sizeof path[0], "%s/%s", folder, name);
    return p;
}

static void check(bool ok, const char *what) {
    if (ok) return;
    printf("failed: %s\n", what);
    n_failed++;
}

static bool holds(const char *path, const char *text) {
    char got[64] = "";
    FILE *f = fopen(path, "rb");
    if (!f) return false;
    size_t n = fread(got, 1, sizeof got - 1, f);
    fclose(f);
    return n == strlen(text) && !memcmp(got, text, n);
}

static int files_in_folder(void) {
    int n = -2; /* . and .. */
    DIR *d = opendir(folder);
    while (d && readdir(d)) n++;
    if (d) closedir(d);
    return n;
}

/* Write; NULL on success, else the diagnostics. */
static const char *put(const char *path, const char *text, unsigned mode) {
    static Buf said;
    Compiler c;
    compiler_init(&c);
    buf_free(&said);
    said = (Buf){0};
    bool ok = off_write_file(&c, path, (Blob){(char *)text, strlen(text)}, mode);
    diags_print(&c, &said, false);
    check(ok == (c.diags.n_errors == 0), "a failure is reported, a success is not");
    compiler_free(&c);
    return ok ? NULL : said.at;
}

static void expect_refusal(const char *path, const char *words) {
    const char *said = put(path, "new", 0666);
    if (said && strstr(said, "E1003") && strstr(said, words)) return;
    printf("`%s`: no `%s` in: %s\n", path, words, said ? said : "success");
    n_failed++;
}

static unsigned mode_of(const char *path) {
    struct stat st;
    return stat(path, &st) ? 0 : st.st_mode & 07777;
}

static void test_plain(void) {
    check(!put(in("a"), "first", 0777), "a new file");
    check(holds(in("a"), "first") && mode_of(in("a")) == 0750, "content, mode under the umask");
    check(!put(in("a"), "second", 0666), "an old file");
    check(holds(in("a"), "second") && mode_of(in("a")) == 0640, "content and mode are new");
    check(!put(in("a"), "", 0666) && holds(in("a"), ""), "no bytes");
    char name[256];
    memset(name, 'n', 255);
    name[255] = '\0';
    check(!put(in(name), "long", 0666) && holds(in(name), "long"), "the longest name there can be");
    unlink(in(name));
    check(!chdir(folder) && !put("b", "here", 0666) && holds(in("b"), "here"), "a path without a folder");
}

static void test_not_regular(void) {
    check(!put("/dev/null", "gone", 0666), "/dev/null");
    expect_refusal("/dev/full", "No space left on device");
    expect_refusal(folder, "it is a folder");
    expect_refusal("", "empty");
    expect_refusal(in("none/file"), "No such file");
    expect_refusal(in("a/file"), "Not a directory");
    check(!mkfifo(in("fifo"), 0600), "mkfifo");
    int reader = open(in("fifo"), O_RDONLY | O_NONBLOCK);
    char got[8] = "";
    check(!put(in("fifo"), "pipe", 0666) && read(reader, got, 8) == 4 && !strcmp(got, "pipe"), "a pipe");
    close(reader);
    unlink(in("fifo"));
}

static void test_links(void) {
    check(!symlink("a", in("link")), "symlink");
    check(!put(in("link"), "through", 0666), "through a link");
    struct stat st;
    check(holds(in("a"), "through") && !lstat(in("link"), &st) && S_ISLNK(st.st_mode), "the link stays");
    check(!link(in("a"), in("hard")) && !put(in("a"), "new", 0666) && holds(in("hard"), "through"),
          "a hard link keeps the old content");
    unlink(in("link"));
    unlink(in("hard"));
}

/* A disk that is full in the middle, played by a limit on the size of files. */
static void test_no_room(void) {
    struct rlimit old, small = {.rlim_cur = 65536};
    getrlimit(RLIMIT_FSIZE, &old);
    small.rlim_max = old.rlim_max;
    signal(SIGXFSZ, SIG_IGN);
    check(!put(in("a"), "kept", 0666), "before");
    int n = files_in_folder();
    char *big = malloc(1 << 20);
    memset(big, 'x', (1 << 20) - 1);
    big[(1 << 20) - 1] = '\0';
    setrlimit(RLIMIT_FSIZE, &small);
    const char *said = put(in("a"), big, 0666);
    check(said && strstr(said, "File too large"), "reported");
    said = put(in("c"), big, 0666);
    check(said != NULL, "reported again");
    setrlimit(RLIMIT_FSIZE, &old);
    check(holds(in("a"), "kept") && files_in_folder() == n, "nothing changed, nothing left");
    free(big);
}

static void test_no_permission(void) {
    if (!geteuid()) return; /* root may write anywhere */
    chmod(folder, 0500);
    expect_refusal(in("a"), "Permission denied");
    chmod(folder, 0700);
    check(holds(in("a"), "kept"), "untouched");
}

int main(void) {
    snprintf(folder, sizeof folder, "/tmp/kdsl-output-XXXXXX");
    if (!mkdtemp(folder)) return 2;
    umask(027);
    test_plain();
    test_not_regular();
    test_links();
    test_no_room();
    test_no_permission();
    unlink(in("a"));
    unlink(in("b"));
    check(!rmdir(folder), "the folder is empty again");
    return n_failed != 0;
}
