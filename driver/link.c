/* link.c -- see link.h. */
#include "driver/link.h"

#include <string.h>

static bool is_gpu(const Piece *m) { return m->target && strcmp(m->target, "x86"); }

/* The images, in the order of --offload-arch: those of GPUs, then the x86 device's. */
static bool make_images(Compiler *c, const Options *o, const Code *code, const Blob *x86, int n_x86,
                        DeviceImage *images) {
    bool ok = true;
    for (int i = 0; i < o->archs.n; i++) {
        const Arch *a = &o->archs.at[i];
        images[i].triple = irgen_triple(a->target);
        images[i].arch = a->cpu ? a->cpu : "x86-64";
    }
    for (int i = 0; i < code->n; i++) {
        Piece *m = &code->at[i];
        if (!is_gpu(m) || m->image < 0) continue;
        if (m->bytes.n) {
            images[m->image].bytes = m->bytes;
            m->bytes = (Blob){0};
        } else {
            ok = ok && off_link_gpu_image(c, m->target, m->options.march, o->archs.at[m->image].any_newer,
                                          &m->result.object, &images[m->image].bytes);
        }
    }
    return ok && (!archs_have_cpu(&o->archs) || off_link_x86_image(c, x86, n_x86, &images[code->n_images].bytes));
}

static const LinkExtern *declared_externs(const Program *p, int *n) {
    LinkExtern *externs = arena_array(&p->c->arena, LinkExtern, p->funcs.n + 1);
    *n = 0;
    for (int i = 0; i < p->funcs.n; i++) {
        const Func *f = p->funcs.at[i];
        if (f->is_extern) externs[(*n)++] = (LinkExtern){f->name, f->name_span};
    }
    return externs;
}

bool link_program(const Program *p, const Options *o, const Code *code, const char *output, Blob *in_memory, Times *t) {
    Compiler *c = p->c;
    int n_externs;
    const LinkExtern *externs = declared_externs(p, &n_externs);
    bool ok = true;
    DeviceImage *images = arena_array(&c->arena, DeviceImage, o->archs.n + 1);
    Blob *objects = arena_array(&c->arena, Blob, code->n + 2), *x86 = objects + 2;
    int n_x86 = 0;
    objects[0] = code->at[0].result.object;
    objects[1] = (Blob){0};
    for (int i = 1; i < code->n; i++)
        if (!is_gpu(&code->at[i])) x86[n_x86++] = code->at[i].result.object;
    if (n_x86) {
        ok = make_images(c, o, code, x86, n_x86, images);
        times_stage(t, o->archs.n > 1 ? "link device images" : "link device image");
        ok = ok && off_images_object(c, images, o->archs.n, &objects[1]);
        times_stage(t, "embed image");
    }
    if (ok) {
        ok = off_link(c, &(LinkJob){.objects = objects,
                                    .n_objects = n_x86 ? 2 + n_x86 : 1,
                                    .relocatable = o->object,
                                    .shared = o->shared,
                                    .libraries = o->libraries,
                                    .folders = o->folders,
                                    .n_libraries = o->n_libraries,
                                    .n_folders = o->n_folders,
                                    .needs_omptarget = n_x86 > 0,
                                    .externs = externs,
                                    .n_externs = n_externs,
                                    .debug = o->debug,
                                    .output = output,
                                    .in_memory = in_memory});
        times_stage(t, o->object ? "link object" : o->shared ? "link library" : "link program");
    }
    for (int i = 0; i < o->archs.n; i++) blob_free(&images[i].bytes);
    blob_free(&objects[1]);
    return ok;
}
