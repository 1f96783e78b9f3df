/* transfer.c -- transfer directions of kernel parameters. The mode says which way an array is copied; what the kernel
 * does narrows it (transfer_narrow). An `&out` is copied from the device alone only if every element is written:
 * otherwise the other elements would reach the host as garbage.
 *
 *   &      to                                                    tests/sema/ok-transfer.kdsl
 *   &mut   to and from; to, if nothing is written, with W0503; from, if it is written whole and never read
 *   &out   from, if it is written whole (whole.c); else to and from, with W0501     tests/sema/W0501-*.kdsl
 *   g: &mut Grid, which owns arrays: fields that are written to and from, fields that are read to, and the
 *   others not at all (narrow_field)                            tests/run/own-kernel-fields.kdsl
 *   any    not at all, if no element is used: its extents are passed as numbers */
#include "sema/flow.h"

/* Each field of an owning struct is copied in the directions that the kernel needs. */
static void narrow_field(Func *f, const Symbol *param, int i) {
    if (!param->part_of || param->mode == REF_NONE) return;
    if (!param->used) f->transfers.at[i] = TRANSFER_UNUSED;
    else if (param->mode == REF_MUT && !param->written) f->transfers.at[i] = TRANSFER_TO;
}

/* `&out` parameters: whether every element is written; if not, a warning follows when the launches are known. */
void transfer_infer(Sema *s, Func *f) {
    for (int i = 0; i < f->params.n; i++) {
        Symbol *param = f->params.at[i];
        narrow_field(f, param, i);
        if (param->mode != REF_OUT || (param->part_of && !param->used)) continue;
        const Wholeness *whole = whole_find(s, f, i, true);
        if (whole->is_whole) {
            f->transfers.at[i] = TRANSFER_FROM;
            continue;
        }
        if (!f->facts->parts) f->facts->parts = arena_array(s->arena, PartlyWritten, f->params.n + 1);
        f->facts->parts[i] = (PartlyWritten){.is_partly = true, .left_out = whole->left_out};
    }
}

static void never_written(Sema *s, const Func *f, int i) {
    const Symbol *param = f->params.at[i];
    Diag *d = diag(s->c, W0501, param->span, "`%s` is `&out`, but `%s` never writes an element of it", param->name,
                   f->name);
    diag_note(s->c, d, param->span, "write every element: `%s[...] = ...;`", param->name);
}

void transfer_warn(Sema *s, Func *f) {
    int since = s->c->diags.list.n;
    for (int i = 0; f->facts->parts && i < f->params.n; i++) {
        const PartlyWritten *part = &f->facts->parts[i];
        bool is_together = part->n_launches && part->n_together == part->n_launches && !f->is_export;
        if (!part->is_partly || is_together) continue;
        const Symbol *param = f->params.at[i];
        if (param->type->kind == TY_ARRAY && !param->part_of && f->facts->uses && !(f->facts->uses[i] & USE_WRITES)) {
            never_written(s, f, i);
            continue;
        }
        const char *left_out = part->left_out;
        TypeExpr *te = f->item->fn.params.at[i].type;
        Diag *d = diag(s->c, W0501, param->span,
                       "cannot prove that every element of `%s` is written, so it is also copied to the device",
                       param->name);
        if (param->type->kind != TY_ARRAY)
            diag_note(s->c, d, f->item->fn.body->span,
                      "one work item must certainly execute `%s = ...;`, whatever the data", param->name);
        else if (left_out) diag_note(s->c, d, param->span, "%s", left_out);
        if (param->type->kind == TY_ARRAY && !param->part_of)
            diag_note(s->c, d, param->span,
                      "if every element is written, add `assume written(%s)` to `%s`, after its domain", param->name,
                      f->name);
        diag_fix(s->c, d, te->ref.mode_span, "&mut", "use `&mut` if the other elements are to keep their values");
    }
    instance_notes(s, f->facts->instance, since, ALL_STEPS);
}

static void narrow_param(Sema *s, Func *f, int i) {
    const Symbol *param = f->params.at[i];
    unsigned use = f->facts->uses[i];
    if (param->mode == REF_NONE || param->mode == REF_SCRATCH || param->type->kind != TY_ARRAY) return;
    if (!use) f->transfers.at[i] = TRANSFER_UNUSED;
    if (param->mode != REF_MUT || !use) return;
    if (use & USE_WRITES) {
        if (!(use & USE_READS) && whole_find(s, f, i, false)->is_whole) f->transfers.at[i] = TRANSFER_FROM;
        return;
    }
    f->transfers.at[i] = TRANSFER_TO;
    if (param->part_of || warn_copied(f, param)) return; /* the mode is that of the struct, or right */
    Diag *d = diag(s->c, W0503, param->span, "`%s` is `&mut`, but `%s` never writes it", param->name, f->name);
    diag_fix(s->c, d, f->item->fn.params.at[i].type->ref.mode_span, "&", "use `&`, so that callers can pass a `let`");
}

void transfer_narrow(Sema *s, Func *f) {
    for (int i = 0; f->facts->uses && i < f->params.n; i++) narrow_param(s, f, i);
}
