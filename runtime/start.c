/* start.c -- the entry point of programs. In an object of its own, which is linked only if the program has an `fn
 * main`: an object file made from functions alone does not define `main`. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>

#include "runtime/internal.h"

/* A program started with a standard file closed would give its number to the next file it opens, and print into that.
 * The number is taken here instead, by something that refuses: a print then fails, and says so. */
static void guard_standard_files(void) {
    for (int fd = 0; fd <= 2; fd++)
        if (fcntl(fd, F_GETFD) < 0 && errno == EBADF) open("/dev/null", fd == 0 ? O_WRONLY : O_RDONLY);
}

/* The OpenMP runtime looks for a function of this name when it starts: of programs only, since a library of ours is no
 * judge of what its user's program wants to be told. */
__attribute__((weak, visibility("default"))) void *ompt_start_tool(unsigned version, const char *runtime);
void *ompt_start_tool(unsigned version, const char *runtime) {
    (void)version, (void)runtime;
    return kdsl_report_tool();
}

KDSL_RT int main(int argc, char **argv);

int main(int argc, char **argv) {
    kdsl_argc = argc;
    kdsl_argv = argv;
    guard_standard_files();
    /* A reader that went away is reported like any other failed write, instead of ending the program without a word. */
    signal(SIGPIPE, SIG_IGN);
    kdsl_exit(kdsl_main());
}
