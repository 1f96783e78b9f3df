/* results.h -- the results of `kdslc test` for tools. */
#ifndef KDSL_RESULTS_H
#define KDSL_RESULTS_H

#include "base/base.h"
#include "driver/options.h"
#include "offload/offload.h"

typedef struct Bytes {
    const char *at;
    size_t n;
} Bytes;

/* What the runtime tells of a test (runtime/test.c). why: why it failed; empty: it passed. */
typedef struct TestResult {
    Bytes name, place, seconds, why, output;
} TestResult;

/* The next result, from *at on; false: there is no whole one. */
bool results_take(const Buf *b, size_t *at, TestResult *r);
double results_seconds(const TestResult *r);
struct json_object;
struct json_object *results_as_json(const Buf *b); /* a list of objects: name, place, passed, seconds, why, output */
void results_add_xml(Buf *out, Bytes text);

/* Runs the compiled tests and prints their results as JSON or, as Jenkins, GitLab and others read them, JUnit's XML.
 * Returns the exit code; -1: reported to c. */
int results_run(Compiler *c, Blob program, const Options *o);

#endif
