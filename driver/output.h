/* output.h -- output files: their names, protection against overwriting, writing, and running the result at once. */
#ifndef KDSL_OUTPUT_H
#define KDSL_OUTPUT_H

#include "base/base.h"
#include "driver/options.h"
#include "offload/offload.h"

/* The file to write, from -o or the source's name. NULL: reported. For text to standard output: "-". */
const char *output_name(Compiler *c, const Options *o);

bool output_ends_with(const char *path, const char *suffix);

/* All n bytes, or false with errno. */
bool write_fully(int fd, const char *bytes, size_t n);
/* Text of --emit to standard output, or a file as one piece. false: reported. */
bool output_text(Compiler *c, const char *path, const char *text, size_t n);

/* header.c: --emit=header */
bool output_header(Compiler *c, const Program *p, const char *path);

/* Become the compiled program. Returns only when that fails: reported. */
void output_execute(Compiler *c, Blob program, const Options *o);

/* Descriptors 0 to 2 that the caller closed become ones that fail, so that no file of ours gets their number. */
void output_guard_standard_files(void);

#endif
