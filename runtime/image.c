/* image.c -- the C functions of the module `image`, for any file format: a picture that was read is kept here until
 * the program has allocated an array of its size and fetches it, with the channels and the type that it needs. */
#include <stdlib.h>
#include <string.h>

#include "runtime/pixels.h"

static _Thread_local Pixels held;

void kdsl_std_image_cannot(const char *verb, const char *path, const char *why) {
    kdsl_fail(kdsl_called("image"), "cannot %s `%s`: %s", verb, path, why);
}

void kdsl_std_image_check(const char *path, int64_t h, int64_t w) {
    if (h > 0 && w > 0) return;
    kdsl_fail(kdsl_called("image"), "cannot write `%s`: an image of shape [%lld, %lld] has no pixels", path,
              (long long)h,
              (long long)w);
}

void *kdsl_std_image_room(const Pixels *p) {
    size_t n = (size_t)p->channels * (size_t)p->sample_bytes;
    if (__builtin_mul_overflow(n, (size_t)p->h, &n) || __builtin_mul_overflow(n, (size_t)p->w, &n)) return NULL;
    return malloc(n);
}

void kdsl_std_image_hold(Pixels p, int64_t size[2]) {
    free(held.at); /* of a program that went no further with it */
    held = p;
    size[0] = p.h;
    size[1] = p.w;
}

void kdsl_std_image_bytes(const float *from, uint8_t *to, int64_t n) {
    for (int64_t i = 0; i < n; i++) to[i] = !(from[i] > 0) ? 0 : from[i] >= 1 ? 255 : (uint8_t)(from[i] * 255 + 0.5f);
}

/* Taking ----------------------------------------------------------------------------------------------------------- */
static double sample(int64_t pixel, int channel) {
    int64_t i = pixel * held.channels + channel;
    unsigned v = held.sample_bytes == 1 ? ((const uint8_t *)held.at)[i] : ((const uint16_t *)held.at)[i];
    return (double)v / held.most;
}

/* Channel `channel` of a pixel, if the caller needs `wanted` channels. The gray value of a colour is its luma (ITU-R
 * BT.601). */
static double channel_of(int64_t pixel, int channel, int wanted) {
    bool has_colour = held.channels >= 3, has_alpha = held.channels % 2 == 0;
    if (channel == 3) return has_alpha ? sample(pixel, held.channels - 1) : 1.0;
    if (wanted == 1 && has_colour)
        return 0.299 * sample(pixel, 0) + 0.587 * sample(pixel, 1) + 0.114 * sample(pixel, 2);
    return sample(pixel, has_colour ? channel : 0);
}

static void take(float *to_f32, uint8_t *to_u8, int wanted) {
    int64_t n = held.h * held.w, k = 0;
    for (int64_t i = 0; i < n; i++)
        for (int c = 0; c < wanted; c++, k++) {
            double v = channel_of(i, c, wanted);
            if (to_f32) to_f32[k] = (float)v;
            else to_u8[k] = (uint8_t)(v * 255 + 0.5);
        }
    free(held.at);
    held = (Pixels){0};
}

KDSL_RT void kdsl_std_image_take_gray(float *to);
KDSL_RT void kdsl_std_image_take_gray_u8(uint8_t *to);
KDSL_RT void kdsl_std_image_take_color(float *to, int32_t channels);
KDSL_RT void kdsl_std_image_take_color_u8(uint8_t *to, int32_t channels);

void kdsl_std_image_take_gray(float *to) { take(to, NULL, 1); }
void kdsl_std_image_take_gray_u8(uint8_t *to) { take(NULL, to, 1); }
void kdsl_std_image_take_color(float *to, int32_t channels) { take(to, NULL, channels); }
void kdsl_std_image_take_color_u8(uint8_t *to, int32_t channels) { take(NULL, to, channels); }
