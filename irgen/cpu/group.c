/* group.c -- kernels with groups on a CPU: one thread executes groups begin..end one after another, and in each group
 * the segments of the body between barriers (cpu/group_plan.c) in order. A segment is a nest of loops over the items of
 * the group, the fastest axis innermost; a barrier is the end of one nest and the beginning of the next (loop fission).
 * Values that are live across a barrier are expanded to arrays with an element for each item (scalar expansion); these
 * and the `shared` arrays are on the stack. No thread waits at a barrier. An item that has left (a `return` that no
 * barrier follows, a `continue`) sets a byte, which later segments test. */
#include "irgen/cpu/group.h"

enum { SHARED_ALIGN = 64 };

static LLVMValueRef load64(CgFunc *f, LLVMValueRef at) { return LLVMBuildLoad2(f->b, f->cg->i64, at, ""); }

/* Variables that are live across segments -------------------------------------------------------------------------- */

LLVMValueRef cpu_expanded(CgFunc *f, LLVMTypeRef t, int64_t items, const char *name) {
    LLVMValueRef at = cg_alloca(f, LLVMArrayType2(t, (uint64_t)items), name);
    LLVMSetAlignment(at, SHARED_ALIGN);
    return cg_group_memory(f, at);
}

static LLVMValueRef per_item(GroupRun *r, LLVMTypeRef t, const char *name) {
    return cpu_expanded(r->f, t, r->group->items, name);
}

static void make_kept(GroupRun *r) {
    for (int id = 0; id < r->fn->n_symbols; id++) {
        const Symbol *sym = r->plan.symbols[id];
        if (!sym || !r->plan.kept[id]) continue;
        r->f->slots[id].kept = per_item(r, cg_kept_type(r->f, sym), sym->name);
        if (r->plan.apart[id]) r->f->slots[id].kept_step = r->group->items;
    }
}

/* Binds the expanded variables to the elements of item `number`; NULL: between segments, to those of the first item,
 * where they are uniform. */
static void bind_kept(GroupRun *r, LLVMValueRef number) {
    CgFunc *f = r->f;
    f->group_item = number;
    for (int id = 0; id < r->fn->n_symbols; id++) {
        const Symbol *sym = r->plan.symbols[id];
        if (!sym || !r->plan.kept[id]) continue;
        LLVMValueRef at = number ? cg_kept(f, sym) : f->slots[id].kept;
        f->slots[id].addr = at;
        if (sym->type->kind != TY_ARRAY) continue;
        f->slots[id].array.desc = NULL;
        f->slots[id].array.step = f->slots[id].kept_step;
        f->slots[id].array.data = at;
    }
}

static void make_shared(GroupRun *r) {
    CgFunc *f = r->f;
    for (int i = 0; i < r->group->shared.n; i++) {
        const Symbol *sym = r->group->shared.at[i];
        CgArray a = {.type = sym->type, .name = sym->name};
        uint64_t n = 1;
        for (int d = 0; d < sym->type->rank; d++) {
            n *= (uint64_t)sym->dims[d].value;
            a.ext[d] = cg_i64(f->cg, sym->dims[d].value);
        }
        a.data = cg_alloca(f, LLVMArrayType2(cg_type_mem(f->cg, sym->type->elem), n), sym->name);
        LLVMSetAlignment(a.data, SHARED_ALIGN);
        a.data = cg_group_memory(f, a.data);
        f->slots[sym->id].array = a;
    }
}

/* Items that have left a segment ----------------------------------------------------------------------------------- */

static void clear_flag(GroupRun *r, Flag *flag) {
    if (!flag->at) return;
    LLVMBuildMemSet(r->f->b, flag->at, LLVMConstNull(r->f->cg->i8), cg_i64(r->f->cg, r->group->items), SHARED_ALIGN);
}

static LLVMValueRef flag_of_item(GroupRun *r, const Flag *flag) {
    return LLVMBuildInBoundsGEP2(r->f->b, r->f->cg->i8, flag->at, &r->f->group_item, 1, "");
}

static void skip_if_raised(GroupRun *r, const Flag *flag, LLVMBasicBlockRef next) {
    CgFunc *f = r->f;
    if (!flag->at || !flag->is_raised) return;
    LLVMValueRef v = LLVMBuildLoad2(f->b, f->cg->i8, flag_of_item(r, flag), "");
    LLVMBasicBlockRef here = cg_block(f, "still.here");
    LLVMBuildCondBr(f->b, LLVMBuildICmp(f->b, LLVMIntNE, v, LLVMConstNull(f->cg->i8), ""), next, here);
    cg_enter(f, here);
}

/* The block to which an item jumps that leaves: `next`, after setting the flag if later segments test one. */
static LLVMBasicBlockRef exit_through(GroupRun *r, Flag *flag, LLVMBasicBlockRef next) {
    CgFunc *f = r->f;
    if (!flag->at) return next;
    LLVMBasicBlockRef here = LLVMGetInsertBlock(f->b), out = cg_block(f, "leave");
    cg_enter(f, out);
    LLVMBuildStore(f->b, LLVMConstInt(f->cg->i8, 1, false), flag_of_item(r, flag));
    LLVMBuildBr(f->b, next);
    cg_enter(f, here);
    return out;
}

/* A segment -------------------------------------------------------------------------------------------------------- */

void group_bind_item(GroupRun *r, LLVMValueRef *at, LLVMValueRef number) {
    CgFunc *f = r->f;
    LLVMValueRef sum = at[0], inside = LLVMConstInt(f->cg->i1, 1, false);
    for (int d = 0; d < r->n; d++) {
        const Symbol *sym = r->fn->domain.at[d];
        LLVMValueRef step = LLVMBuildNSWMul(f->b, at[d], r->axes[d].step.v, "");
        LLVMValueRef v = LLVMBuildNSWAdd(f->b, r->first[d], step, sym->name);
        f->slots[sym->id].value = v;
        f->slots[r->group->local[d]->id].value = at[d];
        LLVMValueRef in = LLVMBuildICmp(f->b, LLVMIntSLT, at[d], r->left[d], "");
        inside = d ? LLVMBuildAnd(f->b, inside, in, "inside") : in;
        if (d == 0) continue;
        sum = LLVMBuildNSWMul(f->b, sum, cg_i64(f->cg, r->group->by[d]), "");
        sum = LLVMBuildNSWAdd(f->b, sum, at[d], "");
    }
    if (!number) number = sum;
    f->slots[r->group->inside->id].value = inside;
    bind_kept(r, number);
    cg_shadow_item_of_group(f, number);
    if (r->items) {
        LLVMValueRef group = LLVMBuildSub(f->b, r->number, r->begin, "");
        LLVMValueRef first = LLVMBuildNSWMul(f->b, group, cg_i64(f->cg, r->group->items), "");
        LLVMValueRef item = LLVMBuildNSWAdd(f->b, first, number, "");
        f->item_result = LLVMBuildInBoundsGEP2(f->b, cg_type_mem(f->cg, r->fn->item_result), r->items, &item, 1, "");
    }
}

/* Between segments the domain variables have the values of the group's first item, which failed checks report. */
void group_bind_between(GroupRun *r) {
    CgFunc *f = r->f;
    for (int d = 0; d < r->n; d++) {
        f->slots[r->fn->domain.at[d]->id].value = r->first[d];
        f->slots[r->group->local[d]->id].value = cg_i64(f->cg, 0);
    }
    f->slots[r->group->inside->id].value = LLVMConstInt(f->cg->i1, 1, false);
    bind_kept(r, NULL);
    cg_shadow_once(f, true);
}

int group_axes(const GroupRun *r) { return r->item_number ? 1 : r->n; }

int64_t group_items_along(const GroupRun *r, int d) { return r->item_number ? r->group->items : r->group->by[d]; }

/* An axis with one item has no loop: around the loops of the others it is seen whether the item is executed. */
static void enter_single(GroupRun *r, Nest *nest, int d) {
    CgFunc *f = r->f;
    LLVMBasicBlockRef body = cg_block(f, "item");
    nest->done[d] = cg_block(f, "items.done");
    LLVMBuildCondBr(f->b, LLVMBuildICmp(f->b, LLVMIntSLT, nest->lo[d], nest->hi[d], ""), body, nest->done[d]);
    cg_enter(f, body);
}

static void nest_begin(GroupRun *r, Nest *nest) {
    CgFunc *f = r->f;
    LLVMValueRef at[3];
    cg_shadow_once(f, false);
    for (int d = 0; d < group_axes(r); d++) {
        if (!nest->single[d]) continue;
        at[d] = nest->lo[d];
        enter_single(r, nest, d);
    }
    for (int d = 0; d < group_axes(r); d++) {
        if (nest->single[d]) continue;
        nest->counter[d] = cg_alloca(f, f->cg->i64, "local");
        nest->head[d] = cg_block(f, "items");
        nest->done[d] = cg_block(f, "items.done");
        LLVMBasicBlockRef body = cg_block(f, "item");
        LLVMBuildStore(f->b, nest->lo[d], nest->counter[d]);
        cg_goto(f, nest->head[d]);
        cg_enter(f, nest->head[d]);
        at[d] = load64(f, nest->counter[d]);
        LLVMBuildCondBr(f->b, LLVMBuildICmp(f->b, LLVMIntSLT, at[d], nest->hi[d], ""), body, nest->done[d]);
        cg_enter(f, body);
    }
    nest->next = cg_block(f, "item.next");
    LLVMValueRef number = r->item_number ? at[0] : NULL;
    if (number) {
        LLVMBuildStore(f->b, number, r->item_number);
        group_position_of(r, number, at);
    }
    group_bind_item(r, at, number);
    for (int d = 0; d < r->n; d++) {
        cg_debug_value(f, r->fn->domain.at[d], f->slots[r->fn->domain.at[d]->id].value, 0);
    }
}

static void nest_end(GroupRun *r, Nest *nest) {
    CgFunc *f = r->f;
    cg_goto(f, nest->next);
    cg_enter_next(f, nest->next);
    group_carry_out(r, nest);
    int inner = 0; /* loops inside this one */
    for (int d = group_axes(r); d-- > 0;) {
        if (nest->single[d]) continue;
        LLVMValueRef next = LLVMBuildNSWAdd(f->b, load64(f, nest->counter[d]), cg_i64(f->cg, 1), "");
        LLVMSetNUW(next, true);
        LLVMBuildStore(f->b, next, nest->counter[d]);
        cg_goto(f, nest->head[d]);
        LLVMValueRef latch = LLVMGetBasicBlockTerminator(LLVMGetInsertBlock(f->b));
        if (inner < 2) cg_mark_items(f, latch, inner == 1);
        if (r->unrolled && !inner) cg_mark_counted(f, latch);
        inner++;
        cg_enter(f, nest->done[d]);
    }
    for (int d = group_axes(r); d-- > 0;) {
        if (!nest->single[d]) continue;
        cg_goto(f, nest->done[d]);
        cg_enter(f, nest->done[d]);
    }
    group_bind_between(r);
}

static void run_statements(GroupRun *r, const Part *part, const Narrowed *narrowed, LLVMBasicBlockRef next) {
    CgFunc *f = r->f;
    for (int i = 0; i < narrowed->rest.n; i++) {
        LLVMBasicBlockRef yes = cg_block(f, "and");
        cg_branch(f, cg_expr(f, narrowed->rest.at[i]), yes, next);
        cg_enter(f, yes);
    }
    if (part->strided && !r->rounds) group_strided_as_written(r, part);
    if (r->rounds) group_round_of_item(r, part, next);
    else if (narrowed->body) cg_stmts(f, narrowed->body, NULL, NULL);
    else
        for (int i = narrowed->from; i < part->items.n && !cg_ended(f); i++) cg_stmt(f, part->items.at[i]);
}

void group_run_items(GroupRun *r, const Part *part) {
    CgFunc *f = r->f;
    Nest nest;
    if (part->items.n) cg_debug_at(f, part->items.at[0]->span);
    group_hold(r, part);
    if (!r->rounds && !r->box && group_counts_items(&r->plan, part))
        r->item_number = cg_alloca(f, f->cg->i64, "number");
    Narrowed narrowed = group_narrow(r, part, &nest);
    nest_begin(r, &nest);
    group_carry_in(r, part, &nest);
    skip_if_raised(r, &r->returned, nest.next);
    for (GLoop *l = r->loop; l; l = l->outer) skip_if_raised(r, &l->skipped, nest.next);
    f->next_item = part->leaves ? exit_through(r, &r->returned, nest.next) : nest.next;
    Scope scope = {.parent = f->scope};
    if (r->loop) /* `continue` of an item; a `break` is a PART_JUMP of the whole group */
        scope.break_to = scope.continue_to = part->leaves ? exit_through(r, &r->loop->skipped, nest.next) : nest.next;
    f->scope = &scope;
    group_fetch_next(r, part);
    group_rematerialise(r, part);
    run_statements(r, part, &narrowed, nest.next);
    f->scope = scope.parent;
    nest_end(r, &nest);
    r->item_number = NULL;
    if (!part->leaves) return;
    r->returned.is_raised = true;
    if (r->loop) r->loop->skipped.is_raised = true;
}

/* Control flow of the whole group ---------------------------------------------------------------------------------- */

static void run_arm(GroupRun *r, const Parts *arm, LLVMBasicBlockRef done) {
    if (arm) group_run_parts(r, arm, NULL, NULL);
    cg_goto(r->f, done);
}

/* In an unrolled loop the condition is a constant, so only one branch is executed. */
static void run_if(GroupRun *r, const Part *part) {
    CgFunc *f = r->f;
    cg_debug_at(f, part->stmt->span);
    CgValue cond = cg_expr(f, part->stmt->if_.cond);
    if (r->unrolled) {
        const Parts *arm = LLVMConstIntGetZExtValue(cond.v) ? part->then_ : part->else_;
        if (arm) group_run_parts(r, arm, NULL, NULL);
        return;
    }
    LLVMBasicBlockRef yes = cg_block(f, "then"), done = cg_block(f, "endif");
    LLVMBasicBlockRef no = part->else_ ? cg_block(f, "else") : done;
    group_forget(r->known, part->then_);
    group_forget(r->known, part->else_);
    cg_branch(f, cond, yes, no);
    cg_enter(f, yes);
    run_arm(r, part->then_, done);
    if (part->else_) {
        cg_enter(f, no);
        run_arm(r, part->else_, done);
    }
    group_forget(r->known, part->then_);
    group_forget(r->known, part->else_);
    cg_enter(f, done);
    if (!LLVMGetFirstUse(LLVMBasicBlockAsValue(done))) LLVMBuildUnreachable(f->b);
}

void group_enter_round(GroupRun *r, GLoop *loop) {
    loop->outer = r->loop;
    r->loop = loop;
    loop->skipped.at = r->plan.leaves ? per_item(r, r->f->cg->i8, "skipped") : NULL;
    clear_flag(r, &loop->skipped);
}

static void run_for(GroupRun *r, const Part *part) {
    CgFunc *f = r->f;
    const Binder *binder = &part->stmt->for_.binder;
    cg_debug_at(f, part->stmt->span);
    Axis axis = cg_axis(f, &binder->range);
    CgLoop l = cg_loop_begin(f, &axis);
    f->slots[binder->sym->id].value = l.i.v;
    cg_debug_value(f, binder->sym, l.i.v, 0);
    cg_kernel_poll(f);
    GLoop loop = {.outer = r->loop};
    group_enter_round(r, &loop);
    group_run_parts(r, part->then_, l.done, l.next);
    r->loop = loop.outer;
    cg_debug_at(f, part->stmt->span);
    cg_loop_end(f, &l);
}

static void run_while(GroupRun *r, const Part *part) {
    CgFunc *f = r->f;
    LLVMBasicBlockRef head = cg_block(f, "while"), body = cg_block(f, "body"), done = cg_block(f, "done");
    cg_goto(f, head);
    cg_enter(f, head);
    cg_debug_at(f, part->stmt->span);
    if (f->error_slot && part->stmt->while_.calls) cg_stop_if_failed(f); /* as in while_ of lang/stmt.c */
    cg_kernel_poll(f);
    CgValue cond = cg_expr(f, part->stmt->while_.cond);
    cg_branch(f, cond, body, done);
    cg_enter(f, body);
    GLoop loop = {0};
    group_enter_round(r, &loop);
    group_run_parts(r, part->then_, done, head);
    r->loop = loop.outer;
    cg_goto(f, head);
    cg_enter(f, done);
}

static void run_loop(GroupRun *r, const Part *part) {
    if (group_unrolls(r, part)) {
        group_run_unrolled(r, part);
        return;
    }
    group_forget(r->known, part->then_);
    if (part->kind == PART_FOR) run_for(r, part);
    else run_while(r, part);
    group_forget(r->known, part->then_);
}

static void run_jump(GroupRun *r, const Part *part) {
    CgFunc *f = r->f;
    if (part->stmt->kind != STMT_RETURN) {
        cg_stmt(f, part->stmt);
        return;
    }
    if (part->stmt->return_.value) {
        Part items = {.kind = PART_ITEMS, .number = part->number};
        vec_push(&f->cg->c->arena, &items.items, part->stmt);
        group_run_items(r, &items);
    }
    cg_goto(f, r->group_done);
}

static void run_part(GroupRun *r, const Part *part) {
    switch (part->kind) {
    case PART_ITEMS:
        if (r->unrolled && !group_counts_items(&r->plan, part)) group_run_split(r, part);
        else group_run_items(r, part);
        return;
    case PART_ONCE:
        cg_stmt(r->f, part->stmt);
        group_learn(r, part->stmt);
        return;
    case PART_IF: run_if(r, part); return;
    case PART_FOR:
    case PART_WHILE: run_loop(r, part); return;
    case PART_BLOCK: group_run_parts(r, part->then_, NULL, NULL); return;
    case PART_BARRIER: cg_shadow_barrier(r->f); return;
    case PART_JUMP: run_jump(r, part); return;
    case PART_ROUNDS: group_run_rounds(r, part); return;
    case PART_WORKSHARING: group_run_shared_loop(r, part); return;
    }
}

void group_run_parts(GroupRun *r, const Parts *parts, LLVMBasicBlockRef break_to, LLVMBasicBlockRef continue_to) {
    CgFunc *f = r->f;
    Scope scope = {.parent = f->scope, .break_to = break_to, .continue_to = continue_to};
    if (parts->block) scope.debug = cg_debug_block(f, parts->block->span);
    f->scope = &scope;
    for (int i = 0; i < parts->at.n && !cg_ended(f); i++) run_part(r, &parts->at.at[i]);
    f->scope = scope.parent;
}

/* Groups ----------------------------------------------------------------------------------------------------------- */

static LLVMValueRef smaller(CgFunc *f, LLVMValueRef a, LLVMValueRef b) {
    return LLVMBuildSelect(f->b, LLVMBuildICmp(f->b, LLVMIntSLT, a, b, ""), a, b, "");
}

/* Computes the coordinates of the group from its number. */
static void locate_group(GroupRun *r) {
    CgFunc *f = r->f;
    LLVMValueRef place[3];
    group_find_place(r, place);
    for (int d = r->n; d-- > 0;) {
        const Symbol *at = r->group->at[d];
        LLVMValueRef k = place[d], by = cg_i64(f->cg, r->group->by[d]);
        f->slots[at->id].value = k;
        f->slots[r->group->count[d]->id].value = r->count[d];
        LLVMValueRef position = LLVMBuildNSWMul(f->b, k, by, "");
        LLVMValueRef offset = LLVMBuildNSWMul(f->b, position, r->axes[d].step.v, "");
        r->first[d] = LLVMBuildNSWAdd(f->b, r->axes[d].lo.v, offset, "first");
        r->left[d] = smaller(f, LLVMBuildNSWSub(f->b, r->axes[d].trips, position, ""), by);
    }
    LLVMValueRef number = place[0];
    for (int d = 1; d < r->n; d++)
        number = LLVMBuildNSWAdd(f->b, LLVMBuildNSWMul(f->b, number, r->count[d], ""), place[d], "");
    cg_shadow_group(f, number);
    group_bind_between(r);
}

void cpu_group_range(CgFunc *f, LLVMValueRef begin, LLVMValueRef end, LLVMValueRef items) {
    GroupRun r = {.f = f, .fn = f->func, .group = &f->func->group, .n = f->func->domain.n};
    r.begin = begin;
    r.items = items;
    group_plan(&r.plan, f);
    cg_domain(f, f->func, r.axes);
    for (int d = 0; d < r.n; d++) r.count[d] = cg_groups_along(f, r.group, &r.axes[d], d);
    r.known = arena_array(r.plan.arena, Const, r.fn->n_symbols + 1);
    f->known_of = &r;
    f->held = group_held;
    make_shared(&r);
    cg_shadow_arrays(f, true);
    make_kept(&r);
    if (r.plan.first_return + 1 < r.plan.n_parts) r.returned.at = per_item(&r, f->cg->i8, "returned");
    LLVMValueRef counter = cg_alloca(f, f->cg->i64, "turn"), n = LLVMBuildNSWSub(f->b, end, begin, "");
    LLVMBasicBlockRef head = cg_block(f, "groups"), body = cg_block(f, "group"), done = cg_block(f, "groups.done");
    r.group_done = cg_block(f, "group.done");
    LLVMBuildStore(f->b, cg_i64(f->cg, 0), counter);
    cg_goto(f, head);
    cg_enter(f, head);
    LLVMValueRef turn = load64(f, counter);
    LLVMBuildCondBr(f->b, LLVMBuildICmp(f->b, LLVMIntSLT, turn, n, ""), body, done);
    cg_enter(f, body);
    r.number = group_in_turn(&r, turn, n);
    if (f->error_slot) cg_stop_if_failed(f);
    cg_kernel_poll(f);
    locate_group(&r);
    clear_flag(&r, &r.returned);
    group_run_parts(&r, r.plan.body, NULL, NULL);
    cg_goto(f, r.group_done);
    cg_enter(f, r.group_done);
    LLVMBuildStore(f->b, LLVMBuildNSWAdd(f->b, load64(f, counter), cg_i64(f->cg, 1), ""), counter);
    cg_goto(f, head);
    cg_enter(f, done);
    f->held = NULL;
}
