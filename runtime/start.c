/* start.c -- the entry point of programs. In an object of its own, which is linked only if the program has an `fn
 * main`: an object file made from functions alone does not define `main`. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>

#include "runtime/internal.h"

/* If a standard file descriptor is closed at the start, the next file that is opened would get its number, and prints
 * would go into that file. So the number is occupied here by a descriptor that cannot be written: a print then fails
 * with a message. */
static void guard_standard_files(void) {
    for (int fd = 0; fd <= 2; fd++)
        if (fcntl(fd, F_GETFD) < 0 && errno == EBADF) open("/dev/null", fd == 0 ? O_WRONLY : O_RDONLY);
}

/* The OpenMP runtime looks up this function when it starts. Only programs define it: a library must not decide for the
 * program that uses it. */
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
    kdsl_trace_begin(); /* also of a program without kernels */
    /* A closed pipe is reported like any other failed write; by default SIGPIPE would end the program without a
     * message. */
    signal(SIGPIPE, SIG_IGN);
    kdsl_exit(kdsl_main());
}
