/* pnm.c -- PGM and PPM files: written as P5 and P6 with 8 bits, read as P2, P3, P5 and P6 with up to 16. */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/output.h"
#include "runtime/pixels.h"

/* Writing ---------------------------------------------------------------------------------------------------------- */
static void write_pnm(const char *path, const uint8_t *bytes, const float *floats, int64_t h, int64_t w, int channels) {
    kdsl_std_image_check(path, h, w);
    size_t n = (size_t)(w * channels);
    uint8_t *row = malloc(n);
    Output o = {0};
    bool opened = row && kdsl_output_open(&o, path);
    bool ok = opened && fprintf(o.file, "P%d\n%lld %lld\n255\n", channels == 1 ? 5 : 6, (long long)w, (long long)h) > 0;
    for (int64_t i = 0; ok && i < h; i++) {
        if (floats) kdsl_std_image_bytes(floats + (size_t)i * n, row, (int64_t)n);
        ok = fwrite(floats ? row : bytes + (size_t)i * n, 1, n, o.file) == n;
    }
    if (opened) ok = kdsl_output_close(&o, ok);
    int error = errno;
    free(row);
    if (!ok) kdsl_std_image_cannot("write", path, strerror(error));
}

/* Reading ---------------------------------------------------------------------------------------------------------- */
/* Reads a number of the header, after spaces and comments (to the end of the line); -1: no number follows. */
static int64_t next_number(FILE *file) {
    int c = getc(file);
    int64_t v = -1;
    while (isspace(c) || c == '#') {
        while (c == '#') {
            while (c != '\n' && c != EOF) c = getc(file);
        }
        c = getc(file);
    }
    for (; isdigit(c) && v < INT32_MAX; c = getc(file)) v = (v < 0 ? 0 : v) * 10 + (c - '0');
    /* Exactly one character separates the last number from raw bytes. */
    if (c != EOF && !isspace(c)) ungetc(c, file);
    return v;
}

static int64_t raw_sample(FILE *file, int bytes) {
    int high = bytes == 2 ? getc(file) : 0, low = getc(file);
    return high == EOF || low == EOF ? -1 : high << 8 | low;
}

static const char *read_samples(FILE *file, Pixels *p, bool raw) {
    int64_t n = p->h * p->w * p->channels;
    for (int64_t i = 0; i < n; i++) {
        int64_t v = raw ? raw_sample(file, p->sample_bytes) : next_number(file);
        if (v < 0) return ferror(file) ? strerror(errno) : "it ends before its last pixel";
        if (v > p->most) return "a pixel is brighter than the maximum in its header";
        if (p->sample_bytes == 1) ((uint8_t *)p->at)[i] = (uint8_t)v;
        else ((uint16_t *)p->at)[i] = (uint16_t)v;
    }
    return NULL;
}

/* NULL, or what is wrong. */
static const char *read_pnm(FILE *file, Pixels *p) {
    int letter = getc(file), kind = getc(file);
    if (ferror(file)) return strerror(errno);
    if (letter != 'P' || !strchr("2356", kind)) return "it is not a PGM or PPM file";
    p->w = next_number(file);
    p->h = next_number(file);
    int64_t most = next_number(file);
    if (p->w <= 0 || p->h <= 0 || most <= 0 || most > 65535) return "its header is malformed";
    p->most = (unsigned)most;
    p->channels = kind == '2' || kind == '5' ? 1 : 3;
    p->sample_bytes = most > 255 ? 2 : 1;
    p->at = kdsl_std_image_room(p);
    return p->at ? read_samples(file, p, kind >= '5') : "out of memory for its pixels";
}

KDSL_RT void kdsl_std_pnm_open(const char *path, int64_t *size);
void kdsl_std_pnm_open(const char *path, int64_t *size) {
    Pixels p = {0};
    FILE *file = fopen(path, "rb");
    const char *why = file ? read_pnm(file, &p) : strerror(errno);
    if (file) fclose(file);
    if (why) {
        free(p.at);
        kdsl_std_image_cannot("read", path, why);
    }
    kdsl_std_image_hold(p, size);
}

KDSL_RT void kdsl_std_pnm_write_gray(const char *path, const float *at, int64_t h, int64_t w);
KDSL_RT void kdsl_std_pnm_write_gray_u8(const char *path, const uint8_t *at, int64_t h, int64_t w);
KDSL_RT void kdsl_std_pnm_write_color(const char *path, const float *at, int64_t h, int64_t w);
KDSL_RT void kdsl_std_pnm_write_color_u8(const char *path, const uint8_t *at, int64_t h, int64_t w);

void kdsl_std_pnm_write_gray(const char *path, const float *at, int64_t h, int64_t w) {
    write_pnm(path, NULL, at, h, w, 1);
}
void kdsl_std_pnm_write_gray_u8(const char *path, const uint8_t *at, int64_t h, int64_t w) {
    write_pnm(path, at, NULL, h, w, 1);
}
void kdsl_std_pnm_write_color(const char *path, const float *at, int64_t h, int64_t w) {
    write_pnm(path, NULL, at, h, w, 3);
}
void kdsl_std_pnm_write_color_u8(const char *path, const uint8_t *at, int64_t h, int64_t w) {
    write_pnm(path, at, NULL, h, w, 3);
}
