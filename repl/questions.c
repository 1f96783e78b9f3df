/* questions.c -- queries about declarations and executed inputs, which do not change the session. */
#include <stdio.h>
#include <string.h>

#include "irgen/irgen.h"
#include "repl/internal.h"

/* Checks the text without executing it. false: errors in *out. */
static bool ask(Session *s, Trial *t, const char *text, bool all, Buf *out) {
    Text *input = text_new("input", text, strlen(text));
    bool ok = trial_check(s, t, input, all, out);
    text_drop(input);
    return ok;
}

static const Type *type_shown(const Trial *t) {
    const Block *body = t->module->input ? t->module->input->fn.body : NULL;
    const Stmt *last = body && body->stmts.n ? body->stmts.at[body->stmts.n - 1] : NULL;
    return last && last->kind == STMT_EXPR && last->expr.is_shown ? last->expr.expr->type : NULL;
}

/* "[f32; _, _]" with the current extents. */
static void refresh_type(Var *v) {
    const char *hole = v->type;
    const int64_t *extents = v->leaves.n == 1 && v->leaves.at[0].is_array ? (int64_t *)v->leaves.at[0].at + 1 : NULL;
    Buf b = {0};
    for (; *hole; hole++) {
        bool is_hole = extents && *hole == '_' && hole[-1] == ' ' && (hole[1] == ',' || hole[1] == ']');
        if (is_hole) buf_printf(&b, "%lld", (long long)*extents++);
        else buf_putc(&b, *hole);
    }
    free(v->type_now);
    v->type_now = b.at;
}

bool session_type(Session *s, const char *expr, Buf *out) {
    const Decl *d = decl_find(s, expr);
    if (d && *d->shape) {
        buf_printf(out, "%s%s", expr, d->shape);
        return true;
    }
    Var *v = var_find(s, expr);
    if (v && !v->gone) {
        refresh_type(v);
        buf_puts(out, v->type_now);
        return true;
    }
    Trial t;
    bool ok = ask(s, &t, expr, false, out);
    const Type *type = ok ? type_shown(&t) : NULL;
    if (ok && !type) buf_puts(out, "this is not an expression\n");
    if (type) buf_puts(out, type_name(&t.c, type));
    trial_free(&t);
    return type != NULL;
}

/* Explanations ----------------------------------------------------------------------------------------------------- */

static void explain_vector(const Program *p, Buf *out) {
    IrOptions options = {.opt_level = 2, .debug = true, .march = "native", .explain_vector = true};
    IrResult result = {0};
    if (irgen_device(p, "x86", &options, &result)) vector_notes_print(result.vector, out);
    for (int i = 0; i < p->funcs.n; i++)
        if (p->funcs.at[i]->is_kernel) explain_combined(p->funcs.at[i], out);
    ir_result_free(&result);
}

/* For the first GPU of the session, else for a common one. */
static void explain_launch(const Session *s, const Program *p, Buf *out) {
    LaunchDevice device = {"nvptx", "sm_90", NULL};
    for (int i = s->archs.n; i-- > 0;) {
        const Arch *a = &s->archs.at[i];
        if (a->cpu && strcmp(a->target, "x86")) device = (LaunchDevice){a->target, a->cpu, NULL};
    }
    IrOptions options = {.opt_level = 2, .march = device.arch, .gpu = true, .want_asm = true};
    IrResult result = {0};
    Blob told = {0};
    bool is_ptx = !strcmp(device.target, "nvptx"), ok = irgen_device(p, device.target, &options, &result);
    Blob text = {result.assembly, ok ? strlen(result.assembly) : 0};
    if (ok) device.said = !is_ptx ? text.at : off_ptxas_tells(p->c, device.arch, &text, &told) ? told.at : NULL;
    LaunchKernels told_of = ok ? irgen_launch_kernels(p, &device, 1) : (LaunchKernels){0};
    launch_kernels_print(&told_of, out);
    blob_free(&told);
    ir_result_free(&result);
}

static const struct {
    const char *what;
    void (*explain)(const Program *p, Buf *out);
} explanations[] = {
    {"transfers", explain_transfers}, {"plan", emit_plan}, {"bounds", explain_bounds}, {"vector", explain_vector},
    {"races", explain_races}};

static bool explain(const Session *s, const char *what, const Program *p, Buf *out) {
    if (!strcmp(what, "launch")) {
        explain_launch(s, p, out);
        return true;
    }
    for (size_t i = 0; i < sizeof explanations / sizeof explanations[0]; i++) {
        if (strcmp(explanations[i].what, what)) continue;
        explanations[i].explain(p, out);
        return true;
    }
    buf_printf(out, "unknown explanation `%s`\n", what);
    return false;
}

/* Explains only this function, as if it were the whole program. */
static bool explain_one(Session *s, const char *what, const char *name, Buf *out) {
    Trial t;
    bool ok = ask(s, &t, "", true, out), found = false;
    for (int i = 0; ok && i < t.program->funcs.n && !found; i++) {
        found = !strcmp(t.program->funcs.at[i]->name, name);
        if (!found) continue;
        t.program->funcs.at[0] = t.program->funcs.at[i];
        t.program->funcs.n = 1;
    }
    if (ok && !found) buf_printf(out, "there is no function or kernel `%s`\n", name);
    bool is_of_launches = !strcmp(what, "transfers") || !strcmp(what, "plan");
    if (found && is_of_launches && t.program->funcs.at[0]->is_kernel) {
        buf_printf(out, "`%s` is a kernel, and what is copied depends on the launch: `:%s` shows it for the last one\n",
                   name, what);
        found = false;
    }
    ok = found && explain(s, what, t.program, out);
    trial_free(&t);
    return ok;
}

bool session_explain(Session *s, const char *what, const char *name, Buf *out) {
    if (name) return explain_one(s, what, name, out);
    Trial *t = launches(s->last) ? s->last : s->launched;
    if (!t) {
        buf_puts(out, "nothing has been launched yet\n");
        return false;
    }
    for (int i = 0; i < t->program->funcs.n; i++) t->program->funcs.at[i]->is_made = false;
    return explain(s, what, t->program, out);
}

/* Names ------------------------------------------------------------------------------------------------------------ */

static char kind_of(ItemKind kind) {
    switch (kind) {
    case ITEM_KERNEL: return 'k';
    case ITEM_STRUCT: return 's';
    case ITEM_CONST: return 'c';
    case ITEM_IMPORT: return 'm';
    case ITEM_FN:
    case ITEM_TEST:
    case ITEM_ERROR:
    case ITEM__COUNT: break;
    }
    return 'f';
}

bool session_name(Session *s, int n, SessionName *name) {
    if (n < 0 || n >= s->decls.n + s->vars.n) return false;
    if (n < s->decls.n) {
        const Decl *d = s->decls.at[n];
        *name = (SessionName){d->name, d->shape, d->source, kind_of(d->kind)};
        return true;
    }
    Var *v = s->vars.at[n - s->decls.n];
    refresh_type(v);
    *name = (SessionName){v->name, v->gone ? "" : v->type_now, NULL, 'v'};
    return true;
}

/* Members ---------------------------------------------------------------------------------------------------------- */

static void forget_answers(Session *s) {
    for (int i = 0; i < s->answers.n; i++) free(s->answers.at[i]);
    s->answers.n = 0;
}

static void answer(Session *s, const char *name) {
    if (name[0] != '_') list_push(&s->answers, copy_text(name, strlen(name)));
}

static void members_of_type(Session *s, const Type *t) {
    static const char parts[] = "xyzw";
    for (int i = 0; t->kind == TY_STRUCT && i < t->n_fields; i++) answer(s, t->fields[i].name);
    for (int i = 0; t->kind == TY_VECTOR && i < t->width && i < 4; i++) answer(s, (char[]){parts[i], '\0'});
}

static void members_of_module(Session *s, const Trial *t, const char *name) {
    for (int i = 0; i < t->module->items.n; i++) {
        const Item *item = t->module->items.at[i];
        if (item->kind != ITEM_IMPORT || strcmp(item->name, name) || !item->import.module) continue;
        const Module *m = item->import.module;
        for (int k = 0; k < m->symbols.n; k++)
            if (m->symbols.at[k]->kind != SYM_MODULE) answer(s, m->symbols.at[k]->name);
    }
}

const char *const *session_members(Session *s, const char *expr) {
    const Decl *d = decl_find(s, expr);
    bool is_module = d && d->kind == ITEM_IMPORT;
    Buf nobody = {0};
    Trial t;
    forget_answers(s);
    bool ok = ask(s, &t, is_module ? "" : expr, is_module, &nobody);
    if (ok && is_module) members_of_module(s, &t, expr);
    else if (ok && type_shown(&t)) members_of_type(s, type_shown(&t));
    list_push(&s->answers, NULL);
    trial_free(&t);
    buf_free(&nobody);
    return (const char *const *)s->answers.at;
}
