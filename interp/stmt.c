/* stmt.c -- statements. Arrays are freed where sema says: at the end of the block that declares them, by whatever path
 * the block is left. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "interp/run.h"

/* Declarations and assignments --------------------------------------------------------------------------------- */

/* Declares a variable without a value. An array is zeroed: whether its elements are written before they are read is
 * not checked. */
static void declare_empty(Frame *f, const Stmt *s) {
    const Symbol *sym = s->let.sym;
    void *at = interp_declare(f, sym);
    if (sym->type->kind == TY_ARRAY) {
        Array a = interp_array_new(f, sym->type, frame_facts(sym)->extents, s->span);
        memset(a.data, 0, (size_t)interp_bytes(sym->type, &a));
        *(Array *)at = a;
    } else {
        interp_poison(at, interp_size(sym->type));
    }
}

static void let(Frame *f, const Stmt *s) {
    const Symbol *sym = s->let.sym;
    if (sym->parts) {
        ROOM(room, interp_size(sym->type));
        interp_value(f, s->let.init, room);
        interp_spread(f, sym, (char *)room, true);
    } else if (!s->let.init) {
        declare_empty(f, s);
    } else if (interp_is_scalar(sym->type)) {
        Const v = interp_scalar_as(f, s->let.init, sym->type);
        interp_store(sym->type, interp_declare(f, sym), v);
    } else if (interp_size(sym->type) > SLOT_BYTES) {
        interp_value_as(f, s->let.init, sym->type, interp_declare(f, sym));
    } else {
        ROOM(room, SLOT_BYTES);
        interp_value_as(f, s->let.init, sym->type, room);
        memcpy(interp_declare(f, sym), room, (size_t)interp_size(sym->type));
    }
}

static void assign_array(Frame *f, const Stmt *s) {
    Expr *target = s->assign.target;
    const Type *fixed = expr_fixed_field(target);
    if (fixed) {
        ROOM(room, type_size_bytes(fixed));
        interp_take_elements(f, s->assign.value, fixed, room);
        memcpy(interp_address(f, target), room, (size_t)type_size_bytes(fixed));
        return;
    }
    Array v;
    interp_value(f, s->assign.value, &v);
    Array *at = interp_array_place(f, target);
    interp_array_free(at);
    *at = v;
}

static Const combined(Frame *f, const Stmt *s, const Type *t, Const old, Const v) {
    if (s->assign.is_min || s->assign.is_max) return arith_min_or_max(s->assign.is_max, t, old, v);
    return interp_binary(f, s->assign.op, t, old, v, s->assign.op_span, s->assign.site);
}

static bool computes(const Stmt *s) { return s->assign.op != OP_NONE || s->assign.is_min || s->assign.is_max; }

/* x += v; */
static void update(Frame *f, const Stmt *s, const Type *value, char *at, const char *v) {
    const Type *t = s->assign.target->type, *part = type_of_part(t);
    int64_t n = type_size_bytes(part), n_value = type_size_bytes(type_of_part(value));
    int width = t->kind == TY_VECTOR ? t->width : 1;
    bool splat = value->kind != TY_VECTOR;
    for (int i = 0; i < width; i++) {
        Const right = interp_load(type_of_part(value), v + (splat ? 0 : i * n_value));
        interp_store(part, at + i * n, combined(f, s, part, interp_load(part, at + i * n), right));
    }
}

static void assign_scalar(Frame *f, const Stmt *s) {
    const Type *t = s->assign.target->type;
    Const v = interp_scalar_as(f, s->assign.value, op_counts(s->assign.op) ? s->assign.value->type : t);
    void *at = interp_address(f, s->assign.target);
    if (computes(s)) v = combined(f, s, t, interp_load(t, at), v);
    interp_store(t, at, v);
}

/* The value first: its evaluation may reallocate the array on the left. */
static void assign(Frame *f, const Stmt *s) {
    Expr *target = s->assign.target;
    if (s->assign.fused) {
        interp_fused_update(f, s);
        return;
    }
    if (interp_is_scalar(target->type)) {
        assign_scalar(f, s);
        return;
    }
    if (target->type->kind == TY_ARRAY) {
        assign_array(f, s);
        return;
    }
    const Type *value = op_counts(s->assign.op) ? s->assign.value->type : target->type;
    ROOM(v, interp_size(value));
    interp_value_as(f, s->assign.value, value, v);
    if (type_owns(target->type)) interp_spread(f, target->name.sym, (char *)v, false);
    else if (computes(s)) update(f, s, value, interp_address(f, target), (char *)v);
    else memcpy(interp_address(f, target), v, (size_t)interp_size(target->type));
}

Const interp_update(Frame *f, Expr *e) {
    const Type *t = e->type;
    ROOM(v, interp_size(t));
    interp_value_as(f, e->atomic.value, t, v);
    Const was = e->atomic.was ? interp_scalar_as(f, e->atomic.was, t) : (Const){0};
    void *at = interp_address(f, e->atomic.target);
    Const old = interp_load(t, at), right = interp_load(t, v);
    const AtomicRow *row = &atomic_rows[atomic_kind(e)];
    if (row->op) right = arith_binary(row->op, t, old, right, NULL);
    else if (row->is_min || row->is_max) right = arith_min_or_max(row->is_max, t, old, right);
    if (!e->atomic.was || old.i == was.i) interp_store(t, at, right);
    return old;
}

/* Control ------------------------------------------------------------------------------------------------------ */

static Flow stmt(Frame *f, const Stmt *s);

static bool ends_loop(Flow *flow) {
    if (*flow == FLOW_RETURN) return true;
    bool leaves = *flow == FLOW_BREAK;
    *flow = FLOW_ON;
    return leaves;
}

static Flow for_(Frame *f, const Stmt *s) {
    const Symbol *sym = s->for_.binder.sym;
    Axis a = interp_axis(f, &s->for_.binder.range);
    Flow flow = FLOW_ON;
    for (int64_t k = 0; k < a.trips; k++) {
        interp_store(sym->type, interp_declare(f, sym), const_int(interp_axis_at(&a, k)));
        flow = interp_block(f, s->for_.body);
        if (ends_loop(&flow)) break;
    }
    return flow;
}

static void free_made(Frame *f, const Made *outer) {
    while (f->made != outer) {
        Made *m = f->made;
        f->made = m->next;
        free(m->data);
        free(m);
    }
}

static Flow while_(Frame *f, const Stmt *s) {
    const Made *outer = f->made;
    Flow flow = FLOW_ON;
    while (interp_scalar(f, s->while_.cond).i) {
        free_made(f, outer);
        flow = interp_block(f, s->while_.body);
        if (ends_loop(&flow)) break;
    }
    return flow;
}

static Flow if_(Frame *f, const Stmt *s) {
    if (interp_scalar(f, s->if_.cond).i) return interp_block(f, s->if_.then_);
    return s->if_.else_ ? stmt(f, s->if_.else_) : FLOW_ON;
}

static Flow return_(Frame *f, const Stmt *s) {
    const Type *t = f->fn->is_kernel ? f->fn->item_result : f->fn->result;
    if (s->return_.value) interp_value_as(f, s->return_.value, t, f->result);
    return FLOW_RETURN;
}

/* An assert without a text prints its condition, on one line. */
static const char *condition_text(Frame *f, const Expr *cond) {
    Place p = source_place(&f->run->c->sources, cond->span.lo);
    const char *at = p.file->text + (cond->span.lo - p.file->base);
    char *text = arena_strndup(&f->run->c->arena, at, cond->span.hi - cond->span.lo);
    for (char *c = text; *c; c++)
        if ((unsigned char)*c < ' ') *c = ' ';
    return arena_printf(&f->run->c->arena, FAILURE_ASSERT "%s", text);
}

static void assert_(Frame *f, const Stmt *s) {
    if (interp_scalar(f, s->assert_.cond).i) return;
    const char *text = s->assert_.format ? interp_text(f, s->assert_.plan, &s->assert_.args, 0)
                                         : condition_text(f, s->assert_.cond);
    interp_fail(f, s->span, "%s", text);
}

static void expression(Frame *f, Expr *e) {
    ROOM(room, interp_size(e->type));
    interp_value(f, e, room);
    if (e->type->kind == TY_ARRAY) interp_array_free((Array *)room);
}

static Flow statement(Frame *f, const Stmt *s) {
    switch (s->kind) {
    case STMT_LET: let(f, s); return FLOW_ON;
    case STMT_ASSIGN: assign(f, s); return FLOW_ON;
    case STMT_ATOMIC: interp_update(f, s->atomic.atomic); return FLOW_ON;
    case STMT_EXPR: expression(f, s->expr.expr); return FLOW_ON;
    case STMT_IF: return if_(f, s);
    case STMT_FOR: return for_(f, s);
    case STMT_WHILE: return while_(f, s);
    case STMT_BREAK: return FLOW_BREAK;
    case STMT_CONTINUE: return FLOW_CONTINUE;
    case STMT_RETURN: return return_(f, s);
    case STMT_ASSERT: assert_(f, s); return FLOW_ON;
    case STMT_BLOCK: case STMT_RESIDENT: return interp_block(f, s->block.block);
    case STMT_BARRIER: interp_barrier(f, s); return FLOW_ON;
    case STMT_SHARED: case STMT_WAIT: return FLOW_ON; /* the group has made it; launches run at once */
    case STMT_ERROR: case STMT__COUNT: break;
    }
    ice(f->run->c, s->span, "sema let a statement through that does nothing");
}

static Flow stmt(Frame *f, const Stmt *s) {
    const Made *outer = f->made;
    Flow flow = statement(f, s);
    free_made(f, outer);
    return flow;
}

Flow interp_block(Frame *f, const Block *b) {
    Flow flow = FLOW_ON;
    for (int i = 0; i < b->drops.n; i++) ((Array *)interp_declare(f, b->drops.at[i]))->data = NULL;
    for (int i = 0; i < b->stmts.n && flow == FLOW_ON; i++) flow = stmt(f, b->stmts.at[i]);
    for (int i = b->drops.n; i-- > 0;) interp_array_free(f->slots[b->drops.at[i]->id].at);
    return flow;
}
