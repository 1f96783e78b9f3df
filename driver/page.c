/* page.c -- --emit=html: generates the code for all devices, with its source lines, and collects the explanations. */
#include "driver/page.h"

#include <string.h>

#include "driver/generate.h"
#include "driver/told.h"

static const char default_archs[] = "host,sm_90,gfx90a"; /* where no GPU is named */

int page_key(const Page *page, const char *file, int line) {
    for (int i = 0; line > 0 && line < PAGE_LINES && i < page->files.n; i++)
        if (!strcmp(page->files.at[i]->path, file)) return i * PAGE_LINES + line;
    return 0;
}

/* The program's own files; those of the compiler, as `<math>`, are not shown. */
static void find_files(Page *page) {
    const Source *first = page->p->module->source;
    vec_push(page->arena, &page->files, first);
    for (int i = 0; i < page->c->sources.files.n; i++) {
        const Source *s = page->c->sources.files.at[i];
        if (s != first && *s->path != '<') vec_push(page->arena, &page->files, s);
    }
}

static bool is_x86(const Piece *m) { return m->target && !strcmp(m->target, "x86"); }

static void add_code(Page *page, const Piece *m, int n_x86) {
    const char *cpu = m->options.march;
    if (!m->target) {
        page_add_ir(page, "host-llvm", "Host: LLVM IR", m->result.text);
    } else if (is_x86(m)) {
        const char *of = n_x86 > 1 ? arena_printf(page->arena, " (%s)", cpu) : "";
        const char *id = n_x86 > 1 ? arena_printf(page->arena, "-%s", cpu) : "";
        page_add_ir(page, arena_printf(page->arena, "llvm%s", id), arena_printf(page->arena, "CPU: LLVM IR%s", of),
                    m->result.text);
        page_add_assembly(page, arena_printf(page->arena, "x86%s", id), arena_printf(page->arena, "CPU: x86%s", of),
                          m->result.assembly);
    } else {
        bool is_ptx = !strcmp(m->target, "nvptx");
        page_add_assembly(page, cpu, arena_printf(page->arena, "GPU: %s%s", cpu, is_ptx ? ", PTX" : ", AMD"),
                          m->result.assembly);
    }
}

/* The module of the host last: it says least of kernels. */
static void add_panes(Page *page, const Code *code) {
    int n_x86 = 0;
    for (int i = 0; i < code->n; i++) n_x86 += is_x86(&code->at[i]);
    for (int i = 0; i < code->n; i++)
        if (is_x86(&code->at[i])) add_code(page, &code->at[i], n_x86);
    for (int of_host = 0; of_host < 2; of_host++)
        for (int i = 0; i < code->n; i++)
            if (!is_x86(&code->at[i]) && of_host == !code->at[i].target) add_code(page, &code->at[i], n_x86);
}

static bool add_modules(Page *page, Options *o, Times *t) {
    const char *why;
    if (!archs_have_gpu(&o->archs)) archs_parse(&o->archs, page->arena, default_archs, &why);
    o->debug = true;
    Code code = code_plan(page->arena, page->p, o);
    for (int i = 0; i < code.n; i++) {
        Piece *m = &code.at[i];
        m->options.only_lines = true;
        m->options.want_asm = m->target != NULL;
        m->options.want_text = !m->target || is_x86(m);
    }
    bool ok = code_generate(&code, t) && !page->c->diags.n_errors;
    if (ok) {
        page->kernels = told_launch_of(page->p, &code, true);
        add_panes(page, &code);
    }
    code_free(&code);
    return ok && !page->c->diags.n_errors;
}

bool page_write(Program *p, Options *o, Times *t, Buf *out) {
    Page page = {.c = p->c, .p = p, .arena = &p->c->arena};
    IrResult vector = {0};
    find_files(&page);
    bool ok = (!o->trace || page_read_trace(&page, o->trace)) && told_vector(p, o, &vector) && add_modules(&page, o, t);
    if (ok) {
        page.vector = vector.vector;
        page.checks = check_notes(p);
        page.transfers = transfer_notes(p);
        page_collect(&page);
        page_print(&page, out);
    }
    for (int i = 0; i < page.panes.n; i++) buf_free(&page.panes.at[i].text);
    ir_result_free(&vector);
    return ok;
}
