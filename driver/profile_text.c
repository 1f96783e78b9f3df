/* profile_text.c -- a profile as a table, and as JSON. */
#include <json-c/json.h>
#include <stdio.h>
#include <string.h>

#include "driver/json.h"
#include "driver/profile.h"

/* Rates ------------------------------------------------------------------------------------------------------------ */

double profile_bytes_rate(const ProfileRow *r) {
    return r->ns ? (double)(r->reads + r->writes) / (1e-9 * (double)r->ns) : 0;
}

static bool knows_flops(const ProfileRow *r) {
    return r->flops[0] >= 0 && r->flops[1] >= 0 && r->flops[0] + r->flops[1] > 0;
}

double profile_flops_rate(const ProfileRow *r) {
    return knows_flops(r) && r->ns ? (double)(r->flops[0] + r->flops[1]) / (1e-9 * (double)r->ns) : -1;
}

double profile_memory_share(const ProfileRow *r, const Limits *l) {
    return l->bytes > 0 && r->device >= 0 ? profile_bytes_rate(r) / l->bytes : -1;
}

double profile_flops_share(const ProfileRow *r, const Limits *l) {
    if (!knows_flops(r) || !r->ns || l->f32 <= 0 || l->f64 <= 0 || r->device < 0) return -1;
    return ((double)r->flops[0] / l->f32 + (double)r->flops[1] / l->f64) / (1e-9 * (double)r->ns);
}

const char *profile_nearer(const ProfileRow *r, const Limits *l) {
    double memory = profile_memory_share(r, l), flops = profile_flops_share(r, l);
    if (memory < 0 || flops < 0) return "";
    return memory >= flops ? "memory" : "arithmetic";
}

/* Texts ------------------------------------------------------------------------------------------------------------ */

enum { CELL = 24, MOST_NAME = 40 };

static double ms(int64_t ns) { return 1e-6 * (double)ns; }

/* "12.3 MB": three digits. */
static const char *bytes_text(char cell[CELL], double n) {
    static const char *const units[] = {"B", "kB", "MB", "GB", "TB", "PB"};
    int unit = 0;
    for (; n >= 999.5 && unit < 5; unit++) n /= 1000;
    snprintf(cell, CELL, unit && n < 99.95 ? "%.1f %s" : "%.0f %s", n, units[unit]);
    return cell;
}

static const char *rate_text(char cell[CELL], double per_second) {
    if (per_second < 0) return "-";
    snprintf(cell, CELL, per_second < 9.995e9 ? "%.2f" : "%.1f", per_second * 1e-9);
    return cell;
}

static const char *share_text(char cell[CELL], double share) {
    if (share < 0) return "-";
    snprintf(cell, CELL, "%.0f%%", 100 * share);
    return cell;
}

static int n_letters(const char *text) {
    int n = 0;
    for (; *text; text++) n += (*text & 0xC0) != 0x80;
    return n;
}

/* The end of a long path tells more than its beginning: whole folders are left out. */
static const char *short_file(const char *file, char room[MOST_NAME]) {
    enum { MOST = MOST_NAME - 10 };
    const char *from = file;
    while (n_letters(from) > MOST && strchr(from + 1, '/')) from = strchr(from + 1, '/');
    if (from == file || strlen(from) + 4 > MOST_NAME) return from;
    snprintf(room, MOST_NAME, "...%s", from);
    return room;
}

static void say_place(Buf *out, const char *name, const char *file, int64_t line) {
    char room[MOST_NAME];
    const char *from = n_letters(name) > MOST_NAME ? "..." : "";
    int n = (int)strlen(name);
    if (*from)
        for (n = MOST_NAME; (name[n] & 0xC0) == 0x80; n--) {}
    buf_printf(out, "%.*s%s", n, name, from);
    if (*file) buf_printf(out, " (%s:%lld)", short_file(file, room), (long long)line);
}

static void say_device(Buf *out, const ProfileRow *r, bool several) {
    if (r->device < 0) buf_puts(out, ", on the host");
    else if (several) buf_printf(out, ", device %lld", (long long)r->device);
    if (r->is_async) buf_puts(out, ", async");
}

static bool has_several_devices(const Profile *p) {
    for (int i = 0; i < p->launches.n; i++)
        if (p->launches.at[i].device > 0) return true;
    return false;
}

static void say_launches(const Profile *p, Buf *out) {
    char a[7][CELL];
    if (!p->launches.n) return;
    buf_printf(out, "\n%6s %9s %11s %10s %10s %10s %12s %8s %8s %7s %6s %8s %6s %-10s  %s\n", "share", "launches",
               "total ms", "mean", "min", "max", "items", "reads", "writes", "GB/s", "limit", "GFLOP/s", "limit",
               "nearer", "kernel");
    for (int i = 0; i < p->launches.n; i++) {
        const ProfileRow *r = &p->launches.at[i];
        const char *nearer = profile_nearer(r, &p->limits);
        buf_printf(out, "%6s %9lld %11.3f %10.4f %10.4f %10.4f %12lld %8s %8s %7s %6s %8s %6s %-10s  ",
                   share_text(a[0], p->ns ? (double)r->ns / (double)p->ns : -1), (long long)r->n, ms(r->ns),
                   ms(r->ns) / (double)r->n, ms(r->min_ns), ms(r->max_ns), (long long)r->items,
                   bytes_text(a[1], (double)r->reads), bytes_text(a[2], (double)r->writes),
                   rate_text(a[3], profile_bytes_rate(r)), share_text(a[4], profile_memory_share(r, &p->limits)),
                   rate_text(a[5], profile_flops_rate(r)), share_text(a[6], profile_flops_share(r, &p->limits)),
                   *nearer ? nearer : "-");
        say_place(out, r->kernel, r->file, r->line);
        say_device(out, r, has_several_devices(p));
        buf_putc(out, '\n');
    }
}

static void say_moves(const Profile *p, Buf *out) {
    char a[3][CELL];
    if (!p->moves.n) return;
    buf_printf(out, "\n%6s %9s %11s %10s %7s  %-11s  %s\n", "share", "times", "total ms", "bytes", "GB/s", "direction",
               "array");
    for (int i = 0; i < p->moves.n; i++) {
        const ProfileRow *r = &p->moves.at[i];
        bool copies = strcmp(r->kind, "allocate");
        buf_printf(out, "%6s %9lld %11.3f %10s %7s  %-11s  ",
                   share_text(a[0], p->ns ? (double)r->ns / (double)p->ns : -1), (long long)r->n, ms(r->ns),
                   bytes_text(a[1], (double)r->bytes),
                   rate_text(a[2], copies && r->ns ? (double)r->bytes / (1e-9 * (double)r->ns) : -1), r->kind);
        say_place(out, r->array, r->file, r->line);
        buf_printf(out, " for %s", *r->kernel ? r->kernel : "host code");
        say_device(out, r, has_several_devices(p));
        buf_putc(out, '\n');
    }
}

static int64_t sum_ns(const ProfileRows *rows) {
    int64_t ns = 0;
    for (int i = 0; i < rows->n; i++) ns += rows->at[i].ns;
    return ns;
}

static void say_sum(Buf *out, const Profile *p, int64_t ns, const char *what) {
    char share[CELL];
    buf_printf(out, "%6s %9s %11.3f ms  %s\n", share_text(share, p->ns ? (double)ns / (double)p->ns : -1), "", ms(ns),
               what);
}

static void say_sums(const Profile *p, Buf *out) {
    buf_putc(out, '\n');
    if (p->launches.n) say_sum(out, p, sum_ns(&p->launches), "launches");
    if (p->moves.n) say_sum(out, p, sum_ns(&p->moves), "copies, fills, comparisons and allocations");
    if (p->waits.n) say_sum(out, p, sum_ns(&p->waits), "waits for asynchronous launches");
    say_sum(out, p, p->host_ns, "host code");
    say_sum(out, p, p->ns, "the whole run");
}

void profile_as_text(const Profile *p, Buf *out) {
    char a[3][CELL];
    buf_printf(out, "profile of %s", p->program);
    if (p->launches.n && *p->launches.at[0].device_name)
        buf_printf(out, ", on %s%s", p->launches.at[0].device_name, p->launches.at[0].is_in_place ? ", in place" : "");
    if (p->exit_code) buf_printf(out, ", which ended with exit code %d", p->exit_code);
    buf_putc(out, '\n');
    if (p->limits.bytes > 0)
        buf_printf(out, "limits, measured: %s GB/s of memory; %s GFLOP/s on f32, %s on f64\n",
                   rate_text(a[0], p->limits.bytes), rate_text(a[1], p->limits.f32), rate_text(a[2], p->limits.f64));
    say_launches(p, out);
    say_moves(p, out);
    say_sums(p, out);
}

/* JSON ------------------------------------------------------------------------------------------------------------- */

static void add_int(struct json_object *o, const char *key, int64_t v) {
    json_object_object_add(o, key, json_object_new_int64(v));
}

/* A number that is not known is left out. */
static void add_real(struct json_object *o, const char *key, double v) {
    char text[40];
    snprintf(text, sizeof text, "%.6g", v);
    if (v >= 0) json_object_object_add(o, key, json_object_new_double_s(v, text));
}

static void add_text(struct json_object *o, const char *key, const char *text) {
    json_object_object_add(o, key, json_object_new_string(text));
}

static void add_times(struct json_object *o, const Profile *p, const ProfileRow *r) {
    add_int(o, "times", r->n);
    add_real(o, "total_ms", ms(r->ns));
    add_real(o, "mean_ms", ms(r->ns) / (double)r->n);
    add_real(o, "min_ms", ms(r->min_ns));
    add_real(o, "max_ms", ms(r->max_ns));
    add_real(o, "share", p->ns ? (double)r->ns / (double)p->ns : -1);
}

static void add_place(struct json_object *o, const ProfileRow *r) {
    add_text(o, "file", r->file);
    add_int(o, "line", r->line);
    add_int(o, "column", r->column);
    add_int(o, "device", r->device);
}

static struct json_object *launch_as_json_row(const Profile *p, const ProfileRow *r) {
    struct json_object *o = json_object_new_object();
    add_text(o, "kernel", r->kernel);
    add_place(o, r);
    add_text(o, "device_name", r->device_name);
    json_object_object_add(o, "in_place", json_object_new_boolean(r->is_in_place));
    json_object_object_add(o, "async", json_object_new_boolean(r->is_async));
    add_times(o, p, r);
    add_int(o, "items", r->items);
    add_int(o, "reads", r->reads);
    add_int(o, "writes", r->writes);
    add_int(o, "to_device", r->to_device);
    add_int(o, "from_device", r->from_device);
    add_real(o, "GB_per_s", 1e-9 * profile_bytes_rate(r));
    add_real(o, "memory_share", profile_memory_share(r, &p->limits));
    if (profile_flops_rate(r) >= 0) add_int(o, "flops_f32", r->flops[0]), add_int(o, "flops_f64", r->flops[1]);
    add_real(o, "GFLOP_per_s", 1e-9 * profile_flops_rate(r));
    add_real(o, "arithmetic_share", profile_flops_share(r, &p->limits));
    if (*profile_nearer(r, &p->limits)) add_text(o, "nearer", profile_nearer(r, &p->limits));
    return o;
}

static struct json_object *move_as_json(const Profile *p, const ProfileRow *r) {
    struct json_object *o = json_object_new_object();
    add_text(o, "array", r->array);
    add_text(o, "direction", r->kind);
    add_text(o, "for", *r->kernel ? r->kernel : "host code");
    add_place(o, r);
    add_times(o, p, r);
    add_int(o, "bytes", r->bytes);
    return o;
}

/* Without a place: at the end of the program, or of a call of an exported function. */
static struct json_object *wait_as_json(const Profile *p, const ProfileRow *r) {
    struct json_object *o = json_object_new_object();
    if (*r->file) add_place(o, r);
    add_times(o, p, r);
    return o;
}

static void add_rows(struct json_object *to, const char *key, const Profile *p, const ProfileRows *rows,
                     struct json_object *(*as_json)(const Profile *, const ProfileRow *)) {
    struct json_object *list = json_object_new_array();
    for (int i = 0; i < rows->n; i++) json_object_array_add(list, as_json(p, &rows->at[i]));
    json_object_object_add(to, key, list);
}

void profile_as_json(const Profile *p, Buf *out) {
    struct json_object *o = json_object_new_object(), *limits = json_object_new_object();
    add_text(o, "program", p->program);
    add_int(o, "exit_code", p->exit_code);
    add_real(o, "total_ms", ms(p->ns));
    add_real(o, "host_code_ms", ms(p->host_ns > 0 ? p->host_ns : 0));
    add_real(limits, "GB_per_s", 1e-9 * p->limits.bytes);
    add_real(limits, "GFLOP_per_s_f32", 1e-9 * p->limits.f32);
    add_real(limits, "GFLOP_per_s_f64", 1e-9 * p->limits.f64);
    json_object_object_add(o, "limits", limits);
    add_rows(o, "launches", p, &p->launches, launch_as_json_row);
    add_rows(o, "transfers", p, &p->moves, move_as_json);
    add_rows(o, "waits", p, &p->waits, wait_as_json);
    json_print(o, out);
}
