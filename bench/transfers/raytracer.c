/* examples/raytracer.kdsl as an expert writes it with OpenMP. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { H = 180, W = 240, BALLS = 3, BOUNCES = 4 };

typedef struct Vec {
    double x, y, z;
} Vec;
typedef struct Ball {
    Vec centre;
    double radius, shade, mirror;
} Ball;
typedef struct Hit {
    double t;
    Vec point, normal;
    double shade, mirror;
} Hit;

static const double far = 1e9, near = 1e-6;

static Vec along(Vec from, double t, Vec v) { return (Vec){from.x + t * v.x, from.y + t * v.y, from.z + t * v.z}; }
static double dot(Vec a, Vec b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
static Vec unit(Vec v) {
    double length = sqrt(dot(v, v));
    return (Vec){v.x / length, v.y / length, v.z / length};
}

static double meet_ball(Ball b, Vec from, Vec direction) {
    Vec to = along(from, -1, b.centre);
    double half_b = dot(to, direction), d = half_b * half_b - (dot(to, to) - b.radius * b.radius);
    if (d < 0) return far;
    if (-half_b - sqrt(d) > near) return -half_b - sqrt(d);
    return -half_b + sqrt(d) > near ? -half_b + sqrt(d) : far;
}

static double meet_floor(Vec from, Vec direction) {
    double t = -from.y / direction.y;
    return direction.y < 0 && t > near ? t : far;
}

static Hit nearest(const Ball *balls, Vec from, Vec direction) {
    Hit hit = {.t = far, .point = from};
    double t = meet_floor(from, direction);
    if (t < hit.t) {
        Vec point = along(from, t, direction);
        long square = (long)floor(point.x) + (long)floor(point.z);
        hit = (Hit){t, point, {0, 1, 0}, (square & 1) == 0 ? 0.9 : 0.2, 0.1};
    }
    for (int k = 0; k < BALLS; k++) {
        t = meet_ball(balls[k], from, direction);
        if (t >= hit.t) continue;
        Vec point = along(from, t, direction);
        hit = (Hit){t, point, unit(along(point, -1, balls[k].centre)), balls[k].shade, balls[k].mirror};
    }
    return hit;
}

static int in_shadow(const Ball *balls, Vec point, Vec light) {
    for (int k = 0; k < BALLS; k++)
        if (meet_ball(balls[k], point, light) < far) return 1;
    return 0;
}

static double look(const Ball *balls, Vec from, Vec direction, Vec light) {
    double weight = 1, brightness = 0;
    for (int bounce = 0; bounce < BOUNCES; bounce++) {
        Hit hit = nearest(balls, from, direction);
        if (hit.t >= far) return brightness + weight * (0.4 + 0.4 * direction.y);
        from = along(hit.point, 1e-4, hit.normal);
        double lit = 0.15 + (in_shadow(balls, from, light) ? 0 : 0.85 * fmax(dot(hit.normal, light), 0));
        brightness += weight * (1 - hit.mirror) * hit.shade * lit;
        weight *= hit.mirror;
        direction = along(direction, -2 * dot(direction, hit.normal), hit.normal);
    }
    return brightness;
}

static void render(const Ball *balls, Vec light, unsigned char *image) {
#pragma omp target teams distribute parallel for collapse(2) map(to: balls[0:BALLS], light) \
    map(from: image[0:H * W])
    for (int y = 0; y < H; y++)
        for (int x = 0; x < W; x++) {
            double size = 2.0 / H;
            Vec view = unit((Vec){(x + 0.5 - 0.5 * W) * size, (0.5 * H - y - 0.5) * size, -1.8});
            image[y * W + x] = 255 * fmin(fmax(look(balls, (Vec){0.13, 1, 5.07}, view, light), 0), 1);
        }
}

int main(int n_args, char **args) {
    Ball balls[BALLS] = {{{0, 1, 0}, 1, 0.7, 0.5}, {{-2, 0.7, 0.5}, 0.7, 0.9, 0}, {{1.7, 0.5, 1.2}, 0.5, 0.3, 0.2}};
    unsigned char *image = malloc(H * W);
    render(balls, unit((Vec){1, 2, 1.5}), image);
    FILE *f = fopen(n_args > 1 ? args[1] : "raytracer.pgm", "wb");
    if (!f) return 1;
    fprintf(f, "P5\n%d %d\n255\n", W, H);
    fwrite(image, 1, H * W, f);
    fclose(f);
    for (int y = 0; y < H; y += 9) {
        for (int x = 0; x < W; x += 5) printf("%c", " .:-=+*#%@"[image[y * W + x] * 10 / 256]);
        printf("\n");
    }
    return 0;
}
