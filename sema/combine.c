/* combine.c -- recognition of parameters that a kernel only updates atomically, as histograms (for privatisation,
 * irgen/cpu/private.c). Each mention of such a parameter is the target of an atomic update whose old value nobody
 * reads, or an argument of a function that does nothing else with it; and all updates are of one kind, of numbers of
 * one type. Then no work item can observe the order of the updates, so a device may accumulate them in separate copies
 * and combine the copies at the end. */
#include "sema/check.h"

typedef struct Mentions {
    Symbol *param;
    int all, updates, extents; /* len(p), shape(p, d) */
    AtomicKind how;
    Type *type;
    bool mixed;
} Mentions;

const CombineFacts *combine_facts(const Symbol *sym) {
    static const CombineFacts none;
    return sym->id < 0 ? &none : &sym->func->combined.at[sym->id];
}

static void note_update(Mentions *m, AtomicKind how, Type *type) {
    m->mixed = m->mixed || (m->updates && (how != m->how || type != m->type));
    m->updates++;
    m->how = how;
    m->type = type;
}

static bool is_param(const Expr *e, const Symbol *param) { return e->kind == EXPR_NAME && e->name.sym == param; }

static bool asks_extent(const Expr *e, const Symbol *param) {
    if (e->call.info->kind != CALL_BUILTIN) return false;
    BuiltinId id = e->call.info->builtin;
    return (id == BUILTIN_LEN || id == BUILTIN_SHAPE) && is_param(e->call.args.at[0].value, param);
}

static void note_call(Mentions *m, const Expr *e) {
    if (asks_extent(e, m->param)) m->extents++;
    if (e->call.info->kind != CALL_FUNC) return;
    for (int i = 0; i < e->call.args.n; i++) {
        const CombineFacts *to = combine_facts(e->call.info->func->params.at[i]);
        if (is_param(e->call.args.at[i].value, m->param) && to->how) note_update(m, to->how, to->type);
    }
}

static bool note(Expr *e, void *context) {
    Mentions *m = context;
    m->all += is_param(e, m->param);
    if (e->kind == EXPR_CALL && e->call.info) note_call(m, e);
    bool drops = e->kind == EXPR_ATOMIC && e->atomic.drops_old && expr_root(e->atomic.target) == m->param;
    AtomicKind joins = drops ? atomic_rows[atomic_kind(e)].joins : ATOMIC_NONE;
    if (joins) note_update(m, joins, e->type);
    return false;
}

static bool find_in(Func *f) {
    bool found = false;
    for (int i = 0; i < f->params.n; i++) {
        Mentions m = {.param = f->params.at[i]};
        if (combine_facts(m.param)->how || (m.param->mode != REF_MUT && m.param->mode != REF_OUT)) continue;
        block_find(f->item->fn.body, note, &m);
        if (!m.updates || m.mixed || m.all != m.updates + m.extents) continue;
        f->combined.at[m.param->id] = (CombineFacts){m.how, m.type};
        found = true;
    }
    return found;
}

void combine_find(Sema *s) {
    bool changed = true;
    while (changed) { /* device functions do not recurse, so the number of iterations is the depth of calls */
        changed = false;
        for (int i = 0; i < s->program->funcs.n; i++) {
            Func *f = s->program->funcs.at[i];
            if (f->on_device && f->item && f->item->fn.body && !f->is_extern) changed |= find_in(f);
        }
    }
}

void explain_combined(const Func *kernel, Buf *out) {
    for (int i = 0; i < kernel->params.n; i++) {
        const Symbol *p = kernel->params.at[i];
        AtomicKind how = combine_facts(p)->how;
        if (!how) continue;
        buf_printf(out, "kernel %s: privatisation: `atomic %s` is the only access to `%s`, so each thread updates a "
                        "copy while it is small\n",
                   kernel->name, atomic_rows[how].spelling, p->name);
    }
}
