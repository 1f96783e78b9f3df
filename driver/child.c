/* child.c -- see child.h. */
#include "driver/child.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static void read_all(int fd, Buf *text) {
    char piece[4096];
    for (ssize_t n; (n = read(fd, piece, sizeof piece)) > 0 || (n < 0 && errno == EINTR);)
        if (n > 0) buf_add(text, piece, (size_t)n);
}

/* Its standard input and output are these. */
static bool start(char *const *argv, int in, int out, pid_t *child) {
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, in, STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions, out, STDERR_FILENO);
    bool ok = !posix_spawn(child, "/proc/self/exe", &actions, NULL, argv, environ);
    posix_spawn_file_actions_destroy(&actions);
    return ok;
}

static bool ended_well(pid_t child, Buf *text) {
    int status = -1;
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR) return false;
    if (WIFSIGNALED(status))
        buf_printf(text, "ended by signal %d (%s)\n", WTERMSIG(status), strsignal(WTERMSIG(status)));
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

bool child_run(const char *const *options, const char *program, const char *argument, Buf *text) {
    enum { MOST_OPTIONS = 16 };
    char *argv[MOST_OPTIONS + 5] = {"kdslc", "run"};
    int in[2], out[2], n = 2;
    pid_t child;
    for (; *options && n < MOST_OPTIONS + 2; options++) argv[n++] = (char *)*options;
    argv[n++] = "-";
    argv[n] = (char *)argument;
    if (pipe2(in, O_CLOEXEC) || pipe2(out, O_CLOEXEC)) return false;
    bool ok = start(argv, in[0], out[1], &child);
    close(in[0]);
    close(out[1]);
    size_t n_bytes = strlen(program); /* less than a pipe holds */
    bool is_sent = ok && write(in[1], program, n_bytes) == (ssize_t)n_bytes;
    close(in[1]);
    read_all(out[0], text);
    close(out[0]);
    return ok && ended_well(child, text) && is_sent;
}
