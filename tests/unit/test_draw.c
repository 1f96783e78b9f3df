/* test_draw.c -- figures, pictures and values as text and pixels, without a session: axes with their labels, braille
 * and bars, half blocks, the bytes for kitty, sixel and PNG, summaries and tables. */
#include <math.h>
#include <png.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "repl/draw.h"
#include "repl/show.h"

static int n_failed;

static void same(const char *what, const Buf *got, const char *want) {
    const char *text = got->at ? got->at : "";
    if (!strcmp(text, want)) return;
    n_failed++;
    printf("FAILED: %s\n---- expected\n%s---- got\n%s----\n", what, want, text);
}

static void holds(const char *what, bool ok) {
    if (ok) return;
    n_failed++;
    printf("FAILED: %s\n", what);
}

/* ---- axes ---- */

static void axis_is(double lo, double hi, int wanted, const char *want) {
    Axis a;
    Buf got = {0};
    if (!axis_fit(&a, lo, hi, 6, wanted)) buf_puts(&got, "none");
    for (int t = 0; t < a.n; t++) buf_printf(&got, "%s%s", t ? " " : "", a.label[t]);
    same("labels of an axis", &got, want);
    buf_free(&got);
}

static void test_axes(void) {
    axis_is(0, 100, 0, "0 20 40 60 80 100");
    axis_is(0, 999, 0, "0 200 400 600 800");
    axis_is(-0.37, 1, AXIS_ROUND, "-0.5 0 0.5 1.0");
    axis_is(0, 0.00001, 0, "0 2e-6 4e-6 6e-6 8e-6 1.0e-5");
    axis_is(2e9, 9e9, 0, "2e9 4e9 6e9 8e9");
    axis_is(5, 5, AXIS_ROUND, "4.5 5.0 5.5");
    axis_is(0, 0, AXIS_ROUND, "-1.0 -0.5 0 0.5 1.0");
    axis_is(0, 3, 0, "0 1 2 3");
    axis_is(0, 2, 0, "0 0.5 1.0 1.5 2.0");
    axis_is(0, 2, AXIS_WHOLE, "0 1 2");
    axis_is(-1e308, 1.7e308, 0, "none");
    axis_is(1e300, 2e300, 0, "1.0e300 1.2e300 1.4e300 1.6e300 1.8e300 2.0e300");
    axis_is(0, 1e-308, 0, "none");
}

/* ---- figures ---- */

static void plot_is(const double *x, const double *y, int64_t n, int columns, int rows, const char *want) {
    Figure f;
    Buf got = {0};
    if (figure_plot(&f, x, y, n, &got)) figure_text(&f, columns, rows, DEPTH_NONE, &got);
    same("plot", &got, want);
    buf_free(&got);
}

static void hist_is(const double *x, int64_t n, const char *want) {
    Figure f;
    Buf got = {0};
    if (figure_hist(&f, x, n, &got)) {
        figure_text(&f, 30, 5, DEPTH_NONE, &got);
        figure_free(&f);
    }
    same("histogram", &got, want);
    buf_free(&got);
}

static void test_figures(void) {
    static const double vee[] = {4, 3, 2, 1, 0, 1, 2, 3, 4};
    plot_is(NULL, vee, 9, 24, 5,
            "4 ┤⠑⢄                 ⡠⠊\n"
            "  │  ⠑⢄             ⡠⠊\n"
            "2 ┤    ⠑⢄         ⡠⠊\n"
            "  │      ⠉⠢⡀   ⢀⠔⠉\n"
            "0 ┤        ⠈⠒⢄⠔⠁\n"
            "  └┬────┬────┬────┬────┬\n"
            "   0    2    4    6    8\n");
    static const double x[] = {0, 9, 3, 9, 0}, y[] = {0, 0, NAN, 6, 6};
    plot_is(x, y, 5, 20, 3, /* a cloud: x rises and falls */
            "  │⠁               ⠈\n"
            "  │\n"
            "0 ┤⡀               ⢀\n"
            "  └┬───┬──┬───┬──┬──\n"
            "   0   2  4   6  8\n");
    static const double gap[] = {1, 1, NAN, 2, 2};
    plot_is(NULL, gap, 5, 20, 3,
            "2 ┤            ⠈⠉⠉⠉⠉\n"
            "  │\n"
            "1 ┤⣀⣀⣀⣀⡀\n"
            "  └┬───┬───┬───┬───┬\n"
            "   0   1   2   3   4\n");
    static const double none[] = {NAN, INFINITY};
    plot_is(NULL, none, 2, 20, 3, "there is no finite number to plot");
    plot_is(NULL, none, 0, 20, 3, "there is no finite number to plot");
    static const double far[] = {-1e308, 1.7e308};
    plot_is(NULL, far, 2, 20, 3, "-1e+308 and 1.7e+308 are too far apart for one axis");
    static const double whole[] = {1, 2, 2, 3, 3, 3, 5, INFINITY};
    hist_is(whole, 8,
            "  │          █████\n"
            "2 ┤     ▃▃▃▃▃█████\n"
            "  │     ██████████\n"
            "  │▅▅▅▅▅██████████     ▅▅▅▅▅\n"
            "0 ┤███████████████     █████\n"
            "  └──┬────┬────┬────┬────┬──\n"
            "     1    2    3    4    5\n");
    hist_is(none, 2, "there is no finite number to plot");
    static const double one[] = {0.25, 0.25, 0.25};
    Figure f;
    Buf why = {0};
    holds("a histogram of one value", figure_hist(&f, one, 3, &why) && f.n >= 1);
    double sum = 0;
    for (int64_t i = 0; i < f.n; i++) sum += f.y[i];
    holds("holds all of them", sum == 3);
    figure_free(&f);
}

/* A million points in any order, and numbers of all sizes: in time, and nowhere outside of the picture. */
static void test_large(void) {
    enum { N = 300000 };
    double *y = malloc(N * sizeof *y);
    Buf out = {0};
    Raster r;
    Figure f;
    unsigned state = 1;
    for (int i = 0; i < N; i++) {
        state = state * 1664525 + 1013904223;
        y[i] = ldexp((double)state / 4294967296.0 - 0.5, (int)(state >> 8) % 40);
    }
    holds("many points", figure_plot(&f, NULL, y, N, &out));
    figure_text(&f, 100, 16, DEPTH_TRUE, &out);
    holds("as pixels", figure_pixels(&f, 800, 400, &r));
    raster_free(&r);
    buf_free(&out);
    free(y);
}

static void test_lines(void) {
    Raster r;
    if (!raster_new(&r, 20, 20, 0xffffff)) abort();
    raster_line(&r, 2, 2, 18, 18, 2, 0);
    holds("a line covers its middle", raster_at(&r, 10, 10) == 0);
    holds("and nothing far from it", raster_at(&r, 2, 17) == 0xffffff);
    raster_line(&r, -1e9, 10.5, 1e9, 10.5, 1, 0xff0000);
    holds("a line from outside to outside", raster_at(&r, 0, 10) == 0xff0000 && raster_at(&r, 19, 10) == 0xff0000);
    raster_free(&r);
}

/* ---- pictures ---- */

static void test_pictures(void) {
    static const double ramp[] = {0, 1, 2, 3, 4, 5, 6, 7};
    Picture p = {.height = 2, .width = 4, .channels = 1, .scaled = true, .white = 1, .at = ramp};
    Buf out = {0};
    Raster r;
    int width, height;
    holds("a picture", picture_look(&p, &out) && p.lo == 0 && p.hi == 7);
    picture_size(&p, 19, 19, &width, &height);
    holds("enlarged by a whole factor", width == 16 && height == 8);
    picture_size(&p, 2, 19, &width, &height);
    holds("made smaller as a whole", width == 2 && height == 1);
    if (!picture_pixels(&p, 4, 2, &r)) abort();
    graphics_blocks(&r, DEPTH_NONE, &out);
    picture_legend(&p, DEPTH_NONE, &out);
    same("grays", &out, "░▒▒▓\n0 .. 7\n");
    out.n = 0;
    graphics_blocks(&r, DEPTH_TRUE, &out);
    holds("half blocks begin with two colours", !strncmp(out.at, "\033[38;2;68;1;84m\033[48;2;37;162;133m▀", 36));
    raster_free(&r);

    static const double rgb[] = {1, 0, 0, 0, 1, 0, 0, 0, 2, NAN, 0.5, 0};
    Picture q = {.height = 1, .width = 4, .channels = 3, .white = 1, .at = rgb};
    if (!picture_look(&q, &out) || !picture_pixels(&q, 4, 1, &r)) abort();
    holds("colours as they are", raster_at(&r, 0, 0) == 0xff0000 && raster_at(&r, 1, 0) == 0x00ff00 &&
                                     raster_at(&r, 2, 0) == 0x0000ff && raster_at(&r, 3, 0) == 0x008000);
    raster_free(&r);
    out.n = 0;
    Picture empty = {.height = 0, .width = 4, .channels = 1, .at = rgb};
    holds("nothing to draw", !picture_look(&empty, &out));
    same("why", &out, "it has no elements to plot");
    buf_free(&out);
}

/* ---- bytes ---- */

/* The pixels of a sixel picture, decoded as a terminal does: palette in percent, six rows a band. */
static bool sixel_shows(const Buf *b, const Raster *want, int tolerance) {
    Raster got;
    int palette[256][3] = {{0}}, colour = 0, x = 0, top = 0;
    if (!raster_new(&got, want->width, want->height, 0)) return false;
    const char *at = strstr(b->at, "\"1;1;");
    for (at = strchr(at, '#'); *at && *at != '\033';) {
        int n = 1, a, r, g, bl, used;
        if (sscanf(at, "#%d;2;%d;%d;%d%n", &a, &r, &g, &bl, &used) == 4) {
            palette[a][0] = r, palette[a][1] = g, palette[a][2] = bl, at += used;
            continue;
        }
        if (sscanf(at, "#%d%n", &a, &used) == 1) { colour = a, at += used; continue; }
        if (*at == '$') { x = 0, at++; continue; }
        if (*at == '-') { x = 0, top += 6, at++; continue; }
        if (sscanf(at, "!%d%n", &n, &used) == 1) at += used;
        for (int bits = *at++ - 63; n-- > 0; x++)
            for (int y = 0; y < 6; y++)
                if (bits >> y & 1)
                    raster_set(&got, x, top + y, (Rgb)(palette[colour][0] * 255 / 100) << 16 |
                               (Rgb)(palette[colour][1] * 255 / 100) << 8 | (Rgb)(palette[colour][2] * 255 / 100));
    }
    bool ok = true;
    for (int i = 0; i < 3 * want->width * want->height; i++) ok = ok && abs(got.rgb[i] - want->rgb[i]) <= tolerance;
    raster_free(&got);
    return ok;
}

static bool png_shows(const void *bytes, size_t n, const Raster *want) {
    png_image image = {.version = PNG_IMAGE_VERSION};
    if (!png_image_begin_read_from_memory(&image, bytes, n)) return false;
    image.format = PNG_FORMAT_RGB;
    unsigned char *pixels = malloc(PNG_IMAGE_SIZE(image));
    bool ok = png_image_finish_read(&image, NULL, pixels, 0, NULL) && (int)image.width == want->width &&
              (int)image.height == want->height && !memcmp(pixels, want->rgb, PNG_IMAGE_SIZE(image));
    free(pixels);
    return ok;
}

static int digit(char c) {
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const char *at = strchr(digits, c);
    return at && c ? (int)(at - digits) : 0;
}

/* The pieces of kitty's protocol put together again. */
static Buf kitty_payload(const Buf *b) {
    Buf png = {0};
    for (const char *at = b->at; (at = strstr(at, "\033_G")); ) {
        for (at = strchr(at, ';') + 1; *at != '\033'; at += 4) {
            int bits = digit(at[0]) << 18 | digit(at[1]) << 12 | digit(at[2]) << 6 | digit(at[3]);
            for (int i = 0; i < 3 - (at[2] == '=') - (at[3] == '='); i++) buf_putc(&png, (char)(bits >> (16 - 8 * i)));
        }
    }
    return png;
}

static void test_bytes(void) {
    Raster r;
    if (!raster_new(&r, 101, 53, 0)) abort();
    for (int y = 0; y < r.height; y++)
        for (int x = 0; x < r.width; x++) raster_set(&r, x, y, (Rgb)(x * 2 << 16 | y * 4 << 8 | (x * y * 7 & 255)));
    Buf png = {0}, kitty = {0}, sixel = {0};
    graphics_png(&r, &png);
    holds("PNG holds the pixels", png_shows(png.at, png.n, &r));
    graphics_kitty(&r, &kitty);
    Buf payload = kitty_payload(&kitty);
    holds("kitty gets that PNG", payload.n == png.n && !memcmp(payload.at, png.at, png.n));
    holds("in more than one piece", strstr(kitty.at, "m=1") && strstr(kitty.at, "m=0"));
    graphics_sixel(&r, &sixel);
    holds("sixel is as near as its colours", sixel_shows(&sixel, &r, 54));
    buf_free(&payload);
    buf_free(&png);
    buf_free(&kitty);
    buf_free(&sixel);
    raster_free(&r);
}

/* ---- values ---- */

static void value_is(SessionValue v, const char *want) {
    ShowHow how = {.columns = 60};
    Buf got = {0};
    show_value(&v, &how, &got);
    same(v.type, &got, want);
    buf_free(&got);
}

static void test_values(void) {
    static const int32_t few[] = {1, -2, 3};
    static const uint64_t large[] = {18446744073709551615u, 0};
    static const float halves[] = {0, 0.5f, 1, 1.5f, 2, 2.5f};
    static const uint16_t f16[] = {0x3c00, 0xc000, 0x7c00, 0x0001, 0x7e00}, bf16[] = {0x3f80, 0x4049};
    static const unsigned char bools[] = {1, 0, 1};
    static double many[400];
    for (int i = 0; i < 400; i++) many[i] = i;
    many[7] = NAN;
    value_is((SessionValue){"", "", 0, {0}, NULL, ""}, "");
    value_is((SessionValue){"i32", "i32", 0, {0}, few, "i32"}, "1 : i32\n");
    value_is((SessionValue){"[i32; 3]", "i32", 1, {3}, few, "[_]i32"}, "[1, -2, 3] : [i32; 3]\n");
    value_is((SessionValue){"[u64; 2]", "u64", 1, {2}, large, "[_]u64"}, "[18446744073709551615, 0] : [u64; 2]\n");
    value_is((SessionValue){"[f16; 5]", "f16", 1, {5}, f16, "[_]f16"}, "[1, -2, inf, 5.96046e-08, nan] : [f16; 5]\n");
    value_is((SessionValue){"[bf16; 2]", "bf16", 1, {2}, bf16, "[_]bf16"}, "[1, 3.14062] : [bf16; 2]\n");
    value_is((SessionValue){"[bool; 3]", "bool", 1, {3}, bools, "[_]bool"}, "[true, false, true] : [bool; 3]\n");
    value_is((SessionValue){"[f32; 0]", "f32", 1, {0}, halves, "[_]f32"}, "[] : [f32; 0]\n");
    value_is((SessionValue){"[P; 2]", "P", 1, {2}, few, "[_]{P|4|n|0|i32|}"},
             "[P(n: 1), P(n: -2)] : [P; 2]\n");
    value_is((SessionValue){"[f64; 400]", "f64", 1, {400}, many, "[_]f64"},
             "[0, 1, 2, 3, 4, 5, 6, nan, …, 397, 398, 399] : [f64; 400]\n"
             "min 0, max 399, mean 199.982, 1 NaN\n");
    value_is((SessionValue){"[f32; 2, 3]", "f32", 2, {2, 3}, halves, "[_,_]f32"},
             "    0  0.5    1\n"
             "  1.5    2  2.5\n"
             ": [f32; 2, 3]\n");
    value_is((SessionValue){"[f32; 3, 0]", "f32", 2, {3, 0}, halves, "[_,_]f32"}, "[] : [f32; 3, 0]\n");
    value_is((SessionValue){"[f32; 3, 1, 2]", "f32", 3, {3, 1, 2}, halves, "[_,_,_]f32"},
             "[0, ..]\n    0  0.5\n[1, ..]\n    1  1.5\n[2, ..]\n    2  2.5\n: [f32; 3, 1, 2]\n");
    value_is((SessionValue){"[f64; 20, 20]", "f64", 2, {20, 20}, many, "[_,_]f64"},
             "    0    1    2    3  …   16   17   18   19\n"
             "   20   21   22   23  …   36   37   38   39\n"
             "   40   41   42   43  …   56   57   58   59\n"
             "   60   61   62   63  …   76   77   78   79\n"
             "    …\n"
             "  320  321  322  323  …  336  337  338  339\n"
             "  340  341  342  343  …  356  357  358  359\n"
             "  360  361  362  363  …  376  377  378  379\n"
             "  380  381  382  383  …  396  397  398  399\n"
             ": [f64; 20, 20]\n"
             "min 0, max 399, mean 199.982, 1 NaN\n");
    value_is((SessionValue){"[f64; 1, 400]", "f64", 2, {1, 400}, many, "[_,_]f64"},
             "    0    1    2    3  …  396  397  398  399\n: [f64; 1, 400]\nmin 0, max 399, mean 199.982, 1 NaN\n");
}

static void test_quantities(void) {
    static const struct { int64_t bytes; const char *text; } sizes[] = {
        {0, "0 bytes"}, {1023, "1023 bytes"}, {4096, "4 KiB"}, {1536, "1.5 KiB"}, {3 << 20, "3 MiB"}};
    static const struct { double seconds; const char *text; } times[] = {
        {2.5, "2.50 s"}, {0.0123, "12.3 ms"}, {0.000456, "456 µs"}, {3e-9, "3.00 ns"}, {0, "0.00 ns"}};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        Buf b = {0};
        show_bytes(sizes[i].bytes, &b);
        same("bytes", &b, sizes[i].text);
        buf_free(&b);
    }
    for (size_t i = 0; i < sizeof times / sizeof times[0]; i++) {
        Buf b = {0};
        show_seconds(times[i].seconds, &b);
        same("seconds", &b, times[i].text);
        buf_free(&b);
    }
}

int main(void) {
    test_axes();
    test_figures();
    test_large();
    test_lines();
    test_pictures();
    test_bytes();
    test_values();
    test_quantities();
    return n_failed != 0;
}
