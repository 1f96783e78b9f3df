/* listing.c -- shows the code of a function or kernel as LLVM IR, assembly or PTX. The code is compiled for the query,
 * in the same way as inputs; directives that only tools need are omitted. */
#include <string.h>

#include "irgen/irgen.h"
#include "repl/internal.h"

typedef struct Listing {
    const char *kind, *target; /* target NULL: host code of a function, x86 device code of a kernel */
    bool is_asm;
    const char *const *noise; /* prefixes of lines to omit; NULL-terminated */
} Listing;

static const char *const ir_noise[] = {"; ModuleID", "source_filename", "target ", "attributes #", "; Function Attrs",
                                       "!",          "declare ",        NULL};
static const char *const asm_noise[] = {
    "\t.file",  "\t.cfi_",   "\t.section\t\".note", "\t.ident", "\t.addrsig", "\t.size", "\t.type", "\t.p2align",
    "\t.globl", "\t.hidden", "\t.protected",        "\t.text",  "\t.loc",     "\t.weak", ".Lfunc_", ".LBB_END",
    "#",        NULL};
static const char *const ptx_noise[] = {"//", "\t// .glob", NULL};
static const Listing listings[] = {
    {"ir", NULL, false, ir_noise}, {"asm", NULL, true, asm_noise}, {"ptx", "nvptx", true, ptx_noise}};

static const Listing *listing_of(const char *kind) {
    for (size_t i = 0; i < sizeof listings / sizeof listings[0]; i++)
        if (!strcmp(listings[i].kind, kind)) return &listings[i];
    return NULL;
}

static bool is_noise(const Listing *l, const char *line, size_t n) {
    for (const char *const *p = l->noise; *p; p++)
        if (n >= strlen(*p) && !memcmp(line, *p, strlen(*p))) return true;
    return false;
}

/* Appends the text without omitted lines, and without the empty lines between these. */
static void tell(const Listing *l, const char *text, Buf *out) {
    bool was_empty = true;
    for (const char *line = text; *line;) {
        size_t n = strcspn(line, "\n");
        bool is_empty = n == 0;
        if (!is_noise(l, line, n) && !(is_empty && was_empty)) {
            buf_add(out, line, n);
            buf_putc(out, '\n');
            was_empty = is_empty;
        }
        line += n + (line[n] == '\n');
    }
}

/* Marks all other functions as already compiled, so that irgen only declares them. */
static Func *leave_alone(Program *p, const char *name) {
    Func *found = NULL;
    for (int i = 0; i < p->funcs.n; i++) {
        Func *f = p->funcs.at[i];
        bool is_it = !found && !f->is_extern && !strcmp(f->name, name);
        f->is_made = !is_it;
        f->made_in = "session";
        if (is_it) found = f;
    }
    return found;
}

static const char *gpu_of(const Session *s, const char *target) {
    for (int i = 0; i < s->archs.n; i++)
        if (!strcmp(s->archs.at[i].target, target)) return s->archs.at[i].cpu;
    return "sm_75"; /* the default of --offload-arch */
}

static bool list(Session *s, const Listing *l, const Program *p, const Func *f, Buf *out) {
    IrOptions options = {.opt_level = f->is_kernel ? s->options.opt_level : HOST_LEVEL,
                         .march = l->target ? gpu_of(s, l->target) : s->options.march,
                         .unit = "session",
                         .gpu = archs_have_gpu(&s->archs),
                         .want_text = !l->is_asm,
                         .want_asm = l->is_asm};
    IrResult result = {0};
    if (f->is_kernel) irgen_device(p, l->target ? l->target : "x86", &options, &result);
    else irgen_host(p, &options, &result);
    const char *text = l->is_asm ? result.assembly : result.text;
    if (text) tell(l, text, out);
    ir_result_free(&result);
    return text != NULL;
}

bool session_code(Session *s, const char *kind, const char *name, Buf *out) {
    const Listing *l = listing_of(kind);
    Text *nothing = text_new("input", "", 0);
    Trial t;
    bool ok = l && trial_check(s, &t, nothing, true, out);
    Func *f = ok ? leave_alone(t.program, name) : NULL;
    if (!l) buf_printf(out, "code can be shown as ir, asm or ptx, not `%s`\n", kind);
    else if (ok && !f) buf_printf(out, "there is no function or kernel `%s`\n", name);
    else if (f && l->target && !f->is_kernel)
        buf_printf(out, "`%s` is not a kernel: it runs on the host\n", name), f = NULL;
    ok = f && list(s, l, t.program, f, out);
    if (l) trial_free(&t);
    text_drop(nothing);
    return ok;
}
