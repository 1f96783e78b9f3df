/* effects.c -- effect analysis: which functions do what only the host can do, propagated from callees to callers up to
 * a fixpoint; and in the same way, which `&mut` parameters may return with other extents. Both sets only grow, so the
 * worklist ends. */
#include "sema/check.h"

static const char *const effect_names[N_EFFECTS] = {"input and output", "arrays on the heap", "C functions", "offload",
                                                    "strings", "print", "devices"};

int effect_bit(Effect e) { return __builtin_ctz((unsigned)e); }

const char *effect_name(Effect e) { return effect_names[effect_bit(e)]; }

const char *func_effect_reason(const Func *f, Effect e) {
    int bit = effect_bit(e);
    const EffectSource *from = &f->facts->effect[bit];
    while (from->via) from = &from->via->callee->facts->effect[bit];
    return from->what;
}

void effect_add(Sema *s, Effect effect, Span span, const char *what) {
    if (!s->func) return;
    EffectSource *from = &s->facts->effect[effect_bit(effect)];
    if (!from->what && !from->via) *from = (EffectSource){.span = span, .what = what};
    if (!s->func->effects) s->func->effect_span = span;
    s->func->effects |= (unsigned)effect;
}

/* The effects of a kernel are not effects of the function that launches it; only its shape requirements apply to the
 * launch. */
void call_site_add(Sema *s, Func *callee, Expr *call, bool is_launch) {
    CallSite *site = arena_new(s->arena, CallSite);
    *site = (CallSite){s->func, callee, call, is_launch};
    vec_push(s->arena, &s->facts->calls, site);
    vec_push(s->arena, &callee->facts->callers, site);
}

static bool spread_effects(CallSite *site) {
    Func *to = site->caller;
    const Func *from = site->callee;
    unsigned fresh = from->effects & ~to->effects;
    if (site->is_launch || !fresh) return false;
    if (!to->effects) {
        to->effect_from = site->callee;
        to->effect_span = site->call->span;
    }
    for (int bit = 0; bit < N_EFFECTS; bit++)
        if (fresh & 1u << bit) to->facts->effect[bit] = (EffectSource){.span = site->call->span, .via = site};
    to->effects |= fresh;
    return true;
}

static bool spread_reshaping(CallSite *site) {
    bool changed = false;
    ArgList *args = &site->call->call.args;
    for (int i = 0; i < args->n; i++) {
        Symbol *param = site->callee->params.at[i];
        if (!param->reshaped || args->at[i].value->kind != EXPR_NAME) continue;
        Symbol *arg = args->at[i].value->name.sym;
        if (shape_is_open(arg)) continue;
        arg->reshaped = true;
        arg->redefined = false;
        changed = changed || arg->kind == SYM_PARAM;
    }
    return changed;
}

void effects_spread(Sema *s) {
    Vec(Func *) work = {0};
    for (int i = 0; i < s->program->funcs.n; i++) {
        s->program->funcs.at[i]->facts->queued = true;
        vec_push(s->arena, &work, s->program->funcs.at[i]);
    }
    while (work.n) {
        Func *f = work.at[--work.n];
        f->facts->queued = false;
        for (int i = 0; i < f->facts->callers.n; i++) {
            CallSite *site = f->facts->callers.at[i];
            bool changed = spread_effects(site);
            changed = spread_reshaping(site) || changed;
            if (!changed || site->caller->facts->queued) continue;
            site->caller->facts->queued = true;
            vec_push(s->arena, &work, site->caller);
        }
    }
}

bool func_tells_caller(const Func *callee) {
    bool has_array = callee->result && callee->result->kind == TY_ARRAY;
    for (int i = 0; i < callee->params.n; i++) has_array = has_array || callee->params.at[i]->type->kind == TY_ARRAY;
    bool has_effect = callee->effects & (EFFECT_IO | EFFECT_HEAP | EFFECT_EXTERN | EFFECT_OFFLOAD | EFFECT_STR |
                                          EFFECT_DEVICES);
    return callee->module && callee->module->is_std && (has_array || has_effect);
}
