/* json.h -- the compiler's explanations as JSON, for tools. */
#ifndef KDSL_JSON_H
#define KDSL_JSON_H

#include "irgen/told.h"
#include "sema/sema.h"

/* --explain=transfers --format=json: an array of objects with the fields of TransferNote. */
void transfers_as_json(const Program *p, Buf *out);
/* --explain=races --format=json: {"kernels": [...]}, with a row for each pair of accesses. */
void races_as_json(const Program *p, Buf *out);

/* --explain=bounds --format=json: {"checks": [...]}, each check of code for devices. */
void bounds_as_json(const Program *p, Buf *out);
/* --explain=vector --format=json: {"nests": [...], "privatised": [...]}. */
void vector_as_json(const Program *p, const VectorNotes *notes, Buf *out);
/* --explain=launch --format=json: {"kernels": [...]}. */
void launch_as_json(const LaunchKernels *kernels, Buf *out);

/* interface.c: --emit=interface: {"files": [...], "structs": [...], "functions": [...]}. */
void interface_as_json(const Program *p, Buf *out);

/* Prints the object and frees it. */
struct json_object;
void json_print(struct json_object *o, Buf *out);

#endif
