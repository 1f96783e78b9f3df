/* link.c -- PTX to a cubin through the driver's linker: link PTX CUBIN. */
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

int cuInit(unsigned flags);
int cuDevicePrimaryCtxRetain(void **context, int device);
int cuCtxSetCurrent(void *context);
int cuLinkCreate_v2(unsigned n_options, const int *options, void **values, void **link);
int cuLinkAddData_v2(void *link, int type, void *data, size_t n_bytes, const char *name, unsigned n_options,
                     int *options, void **values);
int cuLinkComplete(void *link, void **cubin, size_t *n_bytes);
int cuLinkDestroy(void *link);

enum { ERROR_LOG = 5, ERROR_LOG_BYTES = 6, INPUT_PTX = 1 };

int main(int argc, char **argv) {
    static char ptx[1 << 20], log[4096];
    static const int OPTIONS[] = {ERROR_LOG, ERROR_LOG_BYTES};
    void *values[] = {log, (void *)sizeof log}, *context, *link, *cubin;
    FILE *in = argc == 3 ? fopen(argv[1], "rb") : NULL, *out = in ? fopen(argv[2], "wb") : NULL;
    if (!out) return fprintf(stderr, "usage: %s PTX CUBIN\n", argv[0]), 2;
    size_t n = fread(ptx, 1, sizeof ptx - 1, in);
    int status = cuInit(0);
    if (!status) status = cuDevicePrimaryCtxRetain(&context, 0);
    if (!status) status = cuCtxSetCurrent(context);
    if (!status) status = cuLinkCreate_v2(2, OPTIONS, values, &link);
    if (!status) status = cuLinkAddData_v2(link, INPUT_PTX, ptx, n, argv[1], 0, NULL, NULL);
    if (!status) status = cuLinkComplete(link, &cubin, &n);
    if (status) return fprintf(stderr, "error %d\n%s\n", status, log), 1;
    fwrite(cubin, 1, n, out);
    fclose(out);
    return cuLinkDestroy(link);
}
