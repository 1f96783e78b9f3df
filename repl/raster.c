/* raster.c -- drawing in pixels: boxes, anti-aliased lines, numbers. */
#include "repl/draw.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

bool raster_new(Raster *r, int width, int height, Rgb ground) {
    *r = (Raster){width, height, malloc(3 * (size_t)width * (size_t)height)};
    if (!r->rgb) return false;
    raster_box(r, 0, 0, width, height, ground);
    return true;
}

void raster_free(Raster *r) { free(r->rgb); }

static unsigned char *pixel(const Raster *r, int x, int y) {
    return r->rgb + 3 * ((size_t)y * (size_t)r->width + (size_t)x);
}

static bool inside(const Raster *r, int x, int y) { return x >= 0 && y >= 0 && x < r->width && y < r->height; }

Rgb raster_at(const Raster *r, int x, int y) {
    const unsigned char *p = pixel(r, x, y);
    return (Rgb)p[0] << 16 | (Rgb)p[1] << 8 | p[2];
}

void raster_set(Raster *r, int x, int y, Rgb c) {
    if (!inside(r, x, y)) return;
    unsigned char *p = pixel(r, x, y);
    p[0] = (unsigned char)(c >> 16);
    p[1] = (unsigned char)(c >> 8);
    p[2] = (unsigned char)c;
}

void raster_box(Raster *r, int x0, int y0, int x1, int y1, Rgb colour) {
    for (int y = y0 < 0 ? 0 : y0; y < y1 && y < r->height; y++)
        for (int x = x0 < 0 ? 0 : x0; x < x1 && x < r->width; x++) raster_set(r, x, y, colour);
}

/* Alpha blending: `part` is the weight of the colour. */
static void blend(Raster *r, int x, int y, Rgb colour, double part) {
    Rgb old = raster_at(r, x, y), mixed = 0;
    for (int shift = 16; shift >= 0; shift -= 8) {
        double from = old >> shift & 255, to = colour >> shift & 255;
        mixed |= (Rgb)lround(from + part * (to - from)) << shift;
    }
    raster_set(r, x, y, mixed);
}

static double distance(double px, double py, double x0, double y0, double dx, double dy) {
    double square = dx * dx + dy * dy, along = square > 0 ? ((px - x0) * dx + (py - y0) * dy) / square : 0;
    along = fmin(fmax(along, 0), 1);
    return hypot(px - x0 - along * dx, py - y0 - along * dy);
}

static int limited(double v, int limit) { return v < 0 ? 0 : v > limit ? limit : (int)v; }

/* Anti-aliasing: the weight of a pixel is how much closer to the line it is than half the line's width. */
void raster_line(Raster *r, double x0, double y0, double x1, double y1, double width, Rgb colour) {
    double reach = width / 2 + 1, dx = x1 - x0, dy = y1 - y0;
    int top = limited(fmin(y0, y1) - reach, r->height), bottom = limited(fmax(y0, y1) + reach + 1, r->height);
    for (int y = top; y < bottom; y++) {
        double from = fmin(x0, x1), to = fmax(x0, x1);
        if (fabs(dy) > 2 * reach) { /* of a steep line only the part near this row */
            double a = x0 + dx * (y - reach - y0) / dy, b = x0 + dx * (y + 1 + reach - y0) / dy;
            from = fmax(from, fmin(a, b));
            to = fmin(to, fmax(a, b));
        }
        int end = limited(to + reach + 1, r->width);
        for (int x = limited(from - reach, r->width); x < end; x++) {
            double part = width / 2 + 0.5 - distance(x + 0.5, y + 0.5, x0, y0, dx, dy);
            if (part > 0) blend(r, x, y, colour, fmin(part, 1));
        }
    }
}

/* The glyphs of axis labels: one string for each, its rows from the top. */
static const struct {
    char character;
    const char *rows[GLYPH_HEIGHT];
} glyphs[] = {
    {'0', {" ### ", "#   #", "#  ##", "# # #", "##  #", "#   #", " ### "}},
    {'1', {"  #  ", " ##  ", "  #  ", "  #  ", "  #  ", "  #  ", " ### "}},
    {'2', {" ### ", "#   #", "    #", "   # ", "  #  ", " #   ", "#####"}},
    {'3', {"#####", "   # ", "  #  ", "   # ", "    #", "#   #", " ### "}},
    {'4', {"   # ", "  ## ", " # # ", "#  # ", "#####", "   # ", "   # "}},
    {'5', {"#####", "#    ", "#### ", "    #", "    #", "#   #", " ### "}},
    {'6', {"  ## ", " #   ", "#    ", "#### ", "#   #", "#   #", " ### "}},
    {'7', {"#####", "    #", "   # ", "  #  ", " #   ", " #   ", " #   "}},
    {'8', {" ### ", "#   #", "#   #", " ### ", "#   #", "#   #", " ### "}},
    {'9', {" ### ", "#   #", "#   #", " ####", "    #", "   # ", " ##  "}},
    {'-', {"     ", "     ", "     ", "#####", "     ", "     ", "     "}},
    {'+', {"     ", "  #  ", "  #  ", "#####", "  #  ", "  #  ", "     "}},
    {'.', {"     ", "     ", "     ", "     ", "     ", " ##  ", " ##  "}},
    {'e', {"     ", "     ", " ### ", "#   #", "#####", "#    ", " ### "}},
};

static void glyph(Raster *r, int x, int y, int scale, char character, Rgb colour) {
    for (size_t g = 0; g < sizeof glyphs / sizeof glyphs[0]; g++) {
        if (glyphs[g].character != character) continue;
        for (int row = 0; row < GLYPH_HEIGHT; row++)
            for (int column = 0; column < GLYPH_WIDTH; column++)
                if (glyphs[g].rows[row][column] == '#')
                    raster_box(r, x + column * scale, y + row * scale, x + (column + 1) * scale, y + (row + 1) * scale,
                               colour);
    }
}

void raster_number(Raster *r, int x, int y, int scale, const char *text, Rgb colour) {
    for (; *text; text++, x += (GLYPH_WIDTH + 1) * scale) glyph(r, x, y, scale, *text, colour);
}

int raster_number_width(const char *text, int scale) { return ((int)strlen(text) * (GLYPH_WIDTH + 1) - 1) * scale; }
