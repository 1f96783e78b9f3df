/* jupyter.h -- `kdslc jupyter`: a kernel for Jupyter, in which the cells of a notebook are inputs of a session. It
 * speaks the protocol of https://jupyter-client.readthedocs.io/en/stable/messaging.html, version 5.3. */
#ifndef KDSL_JUPYTER_H
#define KDSL_JUPYTER_H

#include "repl/repl.h"

/* Serves the clients of a connection file, which Jupyter has written, until one of them asks to shut down. The exit
 * code: 1 if the kernel could not start (said on stderr). */
int jupyter_serve(const char *connection, const ReplOptions *options);

/* Writes the kernelspec, so that Jupyter finds the kernel: into `prefix`/share/jupyter, or for the user if it is "".
 * The exit code; says where, or why not. */
int jupyter_install(const char *prefix);

#endif
