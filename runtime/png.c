/* png.c -- PNG files through libpng. A part of the runtime: this file, libpng and zlib joined into one object whose own
 * names are local, so that it gets in nobody's way (runtime/CMakeLists.txt).
 * libpng reports by a jump; nothing but malloced memory and files is held across one, and those are in `Job`. */
#include <errno.h>
#include <png.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/output.h"
#include "runtime/pixels.h"

FILE *kdsl_png_stderr; /* what the copy of libpng in here calls stderr; its messages come to `on_error` */

enum { MOST_PIXELS = 1000000 }; /* in a row or column: libpng's limit, which keeps a broken head from filling memory */

typedef struct Job {
    FILE *file;
    png_structp png;
    png_infop info;
    Pixels pixels;  /* read */
    uint8_t *bytes; /* written: made from floats */
    png_bytep *rows;
    char why[200];
} Job;

static void on_error(png_structp png, png_const_charp why) {
    Job *job = png_get_error_ptr(png);
    if (!job->why[0]) snprintf(job->why, sizeof job->why, "%s", ferror(job->file) ? strerror(errno) : why);
    longjmp(png_jmpbuf(png), 1);
}

static void on_warning(png_structp png, png_const_charp what) {
    (void)png;
    (void)what;
}

static void clean(Job *job, bool keep_pixels) {
    if (job->file) fclose(job->file);
    free(job->rows);
    free(job->bytes);
    if (!keep_pixels) free(job->pixels.at);
}

static _Noreturn void give_up(Job *job, const char *verb, const char *path) {
    char why[sizeof job->why];
    strcpy(why, job->why);
    clean(job, false);
    kdsl_std_image_cannot(verb, path, why);
}

static bool no_memory(Job *job) {
    strcpy(job->why, "out of memory for its pixels");
    return false;
}

static void set_why(Job *job) { snprintf(job->why, sizeof job->why, "%s", strerror(errno)); }

static bool open_file(Job *job, const char *path) {
    job->file = fopen(path, "rb");
    if (!job->file) set_why(job);
    return job->file != NULL;
}

static bool make_rows(Job *job, uint8_t *at, size_t row_bytes) {
    job->rows = malloc(sizeof *job->rows * (size_t)job->pixels.h);
    for (int64_t i = 0; job->rows && i < job->pixels.h; i++) job->rows[i] = at + (size_t)i * row_bytes;
    return job->rows != NULL;
}

/* Writing ---------------------------------------------------------------------------------------------------------- */
static bool write_image(Job *job) {
    static const int types[] = {0, PNG_COLOR_TYPE_GRAY, PNG_COLOR_TYPE_GRAY_ALPHA, PNG_COLOR_TYPE_RGB,
                                PNG_COLOR_TYPE_RGBA}; /* by channels */
    const Pixels *p = &job->pixels;
    if (p->h > MOST_PIXELS || p->w > MOST_PIXELS) {
        strcpy(job->why, "it would have more than 1000000 rows or columns");
        return false;
    }
    job->png = png_create_write_struct(PNG_LIBPNG_VER_STRING, job, on_error, on_warning);
    job->info = job->png ? png_create_info_struct(job->png) : NULL;
    if (!job->info) return no_memory(job);
    if (setjmp(png_jmpbuf(job->png))) return false;
    png_init_io(job->png, job->file);
    png_set_IHDR(job->png, job->info, (png_uint_32)p->w, (png_uint_32)p->h, 8, types[p->channels], PNG_INTERLACE_NONE,
                 PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
    png_set_rows(job->png, job->info, job->rows);
    png_write_png(job->png, job->info, PNG_TRANSFORM_IDENTITY, NULL);
    return true;
}

static void write_png(const char *path, const uint8_t *bytes, const float *floats, int64_t h, int64_t w, int channels) {
    Job job = {.pixels = {.h = h, .w = w, .channels = channels, .sample_bytes = 1}};
    kdsl_std_image_check(path, h, w);
    if (floats) {
        job.bytes = kdsl_std_image_room(&job.pixels);
        if (job.bytes) kdsl_std_image_bytes(floats, job.bytes, h * w * channels);
    }
    uint8_t *at = floats ? job.bytes : (uint8_t *)bytes; /* libpng only reads it */
    bool ok = at && make_rows(&job, at, (size_t)(w * channels));
    Output o = {0};
    bool opened = ok && kdsl_output_open(&o, path);
    job.file = o.file;
    if (!ok) no_memory(&job);
    else if (!opened) set_why(&job);
    ok = opened && write_image(&job);
    png_destroy_write_struct(&job.png, &job.info);
    if (opened && !kdsl_output_close(&o, ok) && ok) {
        set_why(&job);
        ok = false;
    }
    job.file = NULL;
    if (!ok) give_up(&job, "write", path);
    clean(&job, false);
}

/* Reading ---------------------------------------------------------------------------------------------------------- */
static bool read_image(Job *job) {
    Pixels *p = &job->pixels;
    job->png = png_create_read_struct(PNG_LIBPNG_VER_STRING, job, on_error, on_warning);
    job->info = job->png ? png_create_info_struct(job->png) : NULL;
    if (!job->info) return no_memory(job);
    if (setjmp(png_jmpbuf(job->png))) return false;
    png_init_io(job->png, job->file);
    png_set_sig_bytes(job->png, 8);
    png_read_info(job->png, job->info);
    png_set_expand(job->png); /* palettes, 1 to 4 bits, a transparent colour */
    png_set_swap(job->png);   /* two bytes: ours, not the file's, order */
    png_set_interlace_handling(job->png);
    png_read_update_info(job->png, job->info);
    p->h = png_get_image_height(job->png, job->info);
    p->w = png_get_image_width(job->png, job->info);
    p->channels = png_get_channels(job->png, job->info);
    p->sample_bytes = png_get_bit_depth(job->png, job->info) == 16 ? 2 : 1;
    p->most = p->sample_bytes == 2 ? 65535 : 255;
    p->at = kdsl_std_image_room(p);
    if (!p->at || !make_rows(job, p->at, png_get_rowbytes(job->png, job->info))) return no_memory(job);
    png_read_image(job->png, job->rows);
    png_read_end(job->png, NULL);
    return true;
}

static bool is_png(Job *job) {
    png_byte head[8];
    size_t n = fread(head, 1, sizeof head, job->file);
    if (ferror(job->file)) snprintf(job->why, sizeof job->why, "%s", strerror(errno));
    else if (n < sizeof head || png_sig_cmp(head, 0, sizeof head)) strcpy(job->why, "it is not a PNG file");
    return !job->why[0];
}

KDSL_RT void kdsl_std_png_open(const char *path, int64_t *size);
void kdsl_std_png_open(const char *path, int64_t *size) {
    Job job = {0};
    bool ok = open_file(&job, path) && is_png(&job) && read_image(&job);
    png_destroy_read_struct(&job.png, &job.info, NULL);
    if (!ok) give_up(&job, "read", path);
    clean(&job, true);
    kdsl_std_image_hold(job.pixels, size);
}

/* As KDSL declares them: an array is an address and its extents are numbers. */
KDSL_RT void kdsl_std_png_write_gray(const char *path, const float *at, int64_t h, int64_t w);
KDSL_RT void kdsl_std_png_write_gray_u8(const char *path, const uint8_t *at, int64_t h, int64_t w);
KDSL_RT void kdsl_std_png_write_color(const char *path, const float *at, int64_t h, int64_t w, int32_t channels);
KDSL_RT void kdsl_std_png_write_color_u8(const char *path, const uint8_t *at, int64_t h, int64_t w, int32_t channels);

void kdsl_std_png_write_gray(const char *path, const float *at, int64_t h, int64_t w) {
    write_png(path, NULL, at, h, w, 1);
}
void kdsl_std_png_write_gray_u8(const char *path, const uint8_t *at, int64_t h, int64_t w) {
    write_png(path, at, NULL, h, w, 1);
}
void kdsl_std_png_write_color(const char *path, const float *at, int64_t h, int64_t w, int32_t channels) {
    write_png(path, NULL, at, h, w, channels);
}
void kdsl_std_png_write_color_u8(const char *path, const uint8_t *at, int64_t h, int64_t w, int32_t channels) {
    write_png(path, at, NULL, h, w, channels);
}
