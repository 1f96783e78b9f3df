/* graphics.c -- encodes pixels: half blocks for any terminal with colours, the kitty and sixel protocols for terminals
 * with graphics, PNG for files. */
#include "repl/draw.h"

#include <png.h>
#include <stdlib.h>
#include <string.h>

/* ---- half blocks ---- */

/* The lightness of a colour by its luma: 0 .. 255. */
static int luma(Rgb c) { return (int)(299 * (c >> 16 & 255) + 587 * (c >> 8 & 255) + 114 * (c & 255)) / 1000; }

/* Without colours: five shades of gray, each character for two pixels. */
static void gray_row(const Raster *r, int y, Buf *out) {
    static const char *const grays[] = {" ", "░", "▒", "▓", "█"};
    for (int x = 0; x < r->width; x++) {
        int light = luma(raster_at(r, x, y));
        if (y + 1 < r->height) light = (light + luma(raster_at(r, x, y + 1))) / 2;
        buf_puts(out, grays[light * 5 / 256]);
    }
    while (out->n && out->at[out->n - 1] == ' ') out->at[--out->n] = 0;
}

/* The upper pixel is the foreground colour, the lower one the background; sent only when they change. */
static void block_row(const Raster *r, int y, Depth depth, Buf *out) {
    enum { NO_COLOUR = 0xff000000u };
    Rgb text = NO_COLOUR, ground = NO_COLOUR;
    for (int x = 0; x < r->width; x++) {
        Rgb upper = raster_at(r, x, y);
        if (upper != text) colour_set(out, depth, LAYER_TEXT, text = upper);
        if (y + 1 < r->height) {
            Rgb lower = raster_at(r, x, y + 1);
            if (lower != ground) colour_set(out, depth, LAYER_GROUND, ground = lower);
        }
        buf_puts(out, "▀");
    }
    colour_reset(out, depth);
}

void graphics_blocks(const Raster *r, Depth depth, Buf *out) {
    for (int y = 0; y < r->height; y += 2) {
        if (depth == DEPTH_NONE) gray_row(r, y, out);
        else block_row(r, y, depth, out);
        buf_putc(out, '\n');
    }
}

/* ---- PNG ---- */

static void png_bytes(png_structp png, png_bytep bytes, png_size_t n) { buf_add(png_get_io_ptr(png), bytes, n); }
static void png_nothing(png_structp png) { (void)png; }

/* Writes to memory, so the only possible error is a lack of memory, which ends the process. */
void graphics_png(const Raster *r, Buf *out) {
    png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, NULL, NULL, NULL);
    png_infop info = png ? png_create_info_struct(png) : NULL;
    if (!info || setjmp(png_jmpbuf(png))) abort();
    png_set_write_fn(png, out, png_bytes, png_nothing);
    png_set_IHDR(png, info, (png_uint_32)r->width, (png_uint_32)r->height, 8, PNG_COLOR_TYPE_RGB, PNG_INTERLACE_NONE,
                 PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
    png_write_info(png, info);
    for (int y = 0; y < r->height; y++) png_write_row(png, r->rgb + 3 * (size_t)y * (size_t)r->width);
    png_write_end(png, NULL);
    png_destroy_write_struct(&png, &info);
}

/* ---- kitty ---- */

/* https://sw.kovidgoyal.net/kitty/graphics-protocol: a PNG (f=100), displayed at once (a=T), without a response (q=2),
 * in chunks of at most 4096 bytes of base64; m=1: more chunks follow. */
void graphics_kitty(const Raster *r, Buf *out) {
    enum { PIECE = 3072 };
    Buf png = {0};
    graphics_png(r, &png);
    for (size_t from = 0; from < png.n; from += PIECE) {
        size_t n = png.n - from < PIECE ? png.n - from : PIECE;
        buf_printf(out, "\033_G%sm=%d;", from ? "" : "a=T,f=100,q=2,", from + n < png.n);
        buf_base64(out, png.at + from, n);
        buf_puts(out, "\033\\");
    }
    buf_putc(out, '\n');
    buf_free(&png);
}

/* ---- sixel ---- */

enum { REDS = 6, GREENS = 7, BLUES = 6, SIXEL_COLOURS = REDS * GREENS * BLUES, BAND = 6 };

static int level(int v, int levels, int threshold) { return (v * (levels - 1) * 16 + 255 * threshold) / (255 * 16); }

/* The nearest of 252 colours, with ordered dithering by a 4 x 4 matrix. */
static unsigned char sixel_colour(const Raster *r, int x, int y) {
    static const unsigned char pattern[4][4] = {{0, 8, 2, 10}, {12, 4, 14, 6}, {3, 11, 1, 9}, {15, 7, 13, 5}};
    Rgb c = raster_at(r, x, y);
    int t = pattern[y & 3][x & 3];
    return (unsigned char)((level(c >> 16 & 255, REDS, t) * GREENS + level(c >> 8 & 255, GREENS, t)) * BLUES +
                           level(c & 255, BLUES, t));
}

static void sixel_palette(Buf *out) {
    for (int i = 0; i < SIXEL_COLOURS; i++)
        buf_printf(out, "#%d;2;%d;%d;%d", i, i / (GREENS * BLUES) * 100 / (REDS - 1),
                   i / BLUES % GREENS * 100 / (GREENS - 1), i % BLUES * 100 / (BLUES - 1));
}

static void sixel_run(int bits, int n, Buf *out) {
    if (n > 3) buf_printf(out, "!%d%c", n, 63 + bits);
    else
        for (int i = 0; i < n; i++) buf_putc(out, (char)(63 + bits));
}

/* One colour of a band of six rows: a bit mask of rows for each column. */
static void sixel_band_colour(const unsigned char *band, int width, int rows, int colour, Buf *out) {
    int last = -1, n = 0;
    buf_printf(out, "#%d", colour);
    for (int x = 0; x < width; x++) {
        int bits = 0;
        for (int y = 0; y < rows; y++) bits |= (band[y * width + x] == colour) << y;
        if (bits != last) {
            sixel_run(last, n, out);
            n = 0;
        }
        last = bits;
        n++;
    }
    if (last) sixel_run(last, n, out);
    buf_putc(out, '$');
}

static void sixel_band(const Raster *r, int top, unsigned char *band, Buf *out) {
    bool used[SIXEL_COLOURS] = {0};
    int rows = r->height - top < BAND ? r->height - top : BAND;
    for (int y = 0; y < rows; y++)
        for (int x = 0; x < r->width; x++) used[band[y * r->width + x] = sixel_colour(r, x, top + y)] = true;
    for (int i = 0; i < SIXEL_COLOURS; i++)
        if (used[i]) sixel_band_colour(band, r->width, rows, i, out);
    buf_putc(out, '-');
}

void graphics_sixel(const Raster *r, Buf *out) {
    unsigned char *band = malloc((size_t)r->width * BAND);
    if (!band) abort();
    buf_printf(out, "\033P0;1q\"1;1;%d;%d", r->width, r->height);
    sixel_palette(out);
    for (int top = 0; top < r->height; top += BAND) sixel_band(r, top, band, out);
    buf_puts(out, "\033\\\n");
    free(band);
}
