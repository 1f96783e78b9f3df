/* crash.c -- a handler for signals that end the process, such as SIGSEGV or the abort of a library. Every input is
 * written to the history before it is executed, and a notebook keeps its cells, so nothing that was typed is lost; the
 * message says so. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "repl/commands.h"

#ifdef __SANITIZE_ADDRESS__ /* it prints its own report */

void crash_watch(const char *advice, bool waits) { (void)advice, (void)waits; }

#else

enum { STACK_BYTES = 64 * 1024, WAIT_NS = 200 * 1000 * 1000 };
static const char *crash_advice;
static bool crash_waits;

static void say(const char *text) {
    if (write(STDERR_FILENO, text, strlen(text)) < 0) return; /* the message cannot be reported elsewhere */
}

/* Runs once: after it returns, the instruction raises the signal again and the process ends. */
static void on_crash(int signal) {
    const char *what = signal == SIGABRT ? "a library ended the process"
                                         : "invalid memory access";
    say("\nkdslc: this session has crashed: ");
    say(what);
    say("\n(");
    say(crash_advice);
    say(")\n");
    if (crash_waits) nanosleep(&(struct timespec){.tv_nsec = WAIT_NS}, NULL);
}

void crash_watch(const char *advice, bool waits) {
    crash_advice = advice;
    crash_waits = waits;
    static char stack[STACK_BYTES]; /* an alternate stack, since a stack overflow may be the cause */
    stack_t here = {.ss_sp = stack, .ss_size = sizeof stack};
    struct sigaction action = {.sa_handler = on_crash, .sa_flags = SA_ONSTACK | (int)SA_RESETHAND};
    static const int signals[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT};
    sigaltstack(&here, NULL);
    for (size_t i = 0; i < sizeof signals / sizeof signals[0]; i++) sigaction(signals[i], &action, NULL);
}

#endif
