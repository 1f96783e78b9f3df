/* group_inline.c -- functions with barriers are inlined in the tree, where kernels with groups call them. A processor
 * cuts the body of a kernel at its barriers, and all analyses of groups (uniformity, phases, shared memory) work on
 * one body; so there is no code of such a function, only of the kernels it becomes part of.
 *
 * A call is a statement of its own, the value of a declaration or of an assignment. It becomes a block: parameters by
 * value are variables that begin with the arguments, references stand for the arrays and variables that are passed,
 * and the `return` at the end assigns the result. Then the body, a fresh copy of the text, is checked as part of the
 * kernel, with the names of its own module. The function itself is checked, too, so that its mistakes are reported
 * once and where they are. */
#include "parser/children.h"
#include "sema/check.h"

/* Which functions ------------------------------------------------------------------------------------------------- */

/* A call of such a function. Names of functions are those of modules: no variable can be called. */
static bool calls_meeting(Expr *e, void *context) {
    Sema *s = context;
    const Expr *callee = e->kind == EXPR_CALL ? e->call.callee : NULL;
    Name name = NULL;
    if (callee && callee->kind == EXPR_NAME) name = callee->name.name;
    if (callee && callee->kind == EXPR_FIELD && callee->field.base->kind == EXPR_NAME) /* of a module */
        name = name_of(&s->c->names, arena_printf(s->arena, "%s.%s", callee->field.base->name.name,
                                                  callee->field.name));
    const Symbol *sym = name ? scope_find(s, name) : NULL;
    return sym && sym->kind == SYM_FN && sym->func && group_meets(s, sym);
}

static bool stmt_meets(Sema *s, const Stmt *st) {
    if (st->kind == STMT_BARRIER || st->kind == STMT_SHARED) return true;
    Children all = stmt_children(st);
    for (Expr *e; (e = child_expr(&all));)
        if (expr_find(e, calls_meeting, s)) return true;
    for (Stmt *one; (one = child_stmt(&all));)
        if (stmt_meets(s, one)) return true;
    return false;
}

static bool block_meets(Sema *s, const Block *b) {
    for (int i = 0; i < b->stmts.n; i++)
        if (stmt_meets(s, b->stmts.at[i])) return true;
    return false;
}

static bool meets(Sema *s, FuncFacts *facts, const Item *item, Module *m) {
    if (!s->functions_meet || !item || item->kind != ITEM_FN || item->fn.is_extern || !item->fn.body) return false;
    if (facts->meets != MEETS_UNKNOWN) return facts->meets == MEETS_YES;
    facts->meets = MEETS_NO; /* for a function that calls itself */
    Elsewhere here = elsewhere_enter(s, m);
    facts->meets = block_meets(s, item->fn.body) ? MEETS_YES : MEETS_NO;
    elsewhere_leave(s, here);
    return facts->meets == MEETS_YES;
}

bool group_meets(Sema *s, const Symbol *fn) {
    return meets(s, fn->func->facts, fn->item, fn->generic ? fn->generic->module : fn->func->module);
}

static bool has_no_code(Sema *s, Func *f) { return meets(s, f->facts, f->item, f->module); }

void group_drop_inlined(Sema *s) {
    Program *p = s->program;
    int kept = 0;
    for (int i = 0; i < p->funcs.n; i++)
        if (!has_no_code(s, p->funcs.at[i])) p->funcs.at[kept++] = p->funcs.at[i];
    p->funcs.n = kept;
}

bool group_is_inlined(const Func *f) {
    return !f->is_kernel && !f->is_main && !f->is_test && !f->is_export && !f->is_input && !f->is_extern;
}

/* The text of a function before it is checked. */
static const Item *text_of(const Func *f) {
    if (f->facts->instance) return f->facts->instance->of->item;
    return f->facts->unchecked ? f->facts->unchecked : f->item;
}

/* What can be inlined --------------------------------------------------------------------------------------------- */

static Expr **call_slot(Stmt *st) {
    switch (st->kind) {
    case STMT_LET: return &st->let.init;
    case STMT_ASSIGN: return &st->assign.value;
    case STMT_EXPR: return &st->expr.expr;
    case STMT_RETURN: return &st->return_.value;
    case STMT_ERROR:
    case STMT_ATOMIC:
    case STMT_IF:
    case STMT_FOR:
    case STMT_WHILE:
    case STMT_BREAK:
    case STMT_CONTINUE:
    case STMT_ASSERT:
    case STMT_BLOCK:
    case STMT_SHARED:
    case STMT_BARRIER:
    case STMT_WAIT:
    case STMT_RESIDENT:
    case STMT__COUNT: break;
    }
    return NULL;
}

static bool only_shares(const Block *b) {
    return block_holds(b, 1u << STMT_SHARED) && !block_holds(b, 1u << STMT_BARRIER);
}

bool group_may_call(Sema *s, const Expr *call, const Func *f) {
    const Func *caller = s->func;
    if (s->inlined == call || group_is_inlined(caller)) return true;
    Diag *d;
    if (caller->group.items) {
        d = diag(s->c, E0528, call->span, "`%s` has a barrier, so its call must be a statement", f->name);
        diag_note(s->c, d, call->span, "call it as `%s(...);`, `let v = %s(...);` or `v = %s(...);`", f->name, f->name,
                  f->name);
    } else {
        d = diag(s->c, E0522, call->span, "`%s` has %s, so only kernels with groups can call it", f->name,
                 only_shares(text_of(f)->fn.body) ? "`shared` memory" : "a barrier");
    }
    diag_note(s->c, d, f->name_span, "`%s` is declared here", f->name);
    return false;
}

static const Stmt *early_return(const Block *b, const Stmt *last) {
    for (int i = 0; i < b->stmts.n; i++) {
        const Stmt *st = b->stmts.at[i];
        if (st->kind == STMT_RETURN && st != last) return st;
        Children all = stmt_children(st);
        for (Stmt *one; (one = child_stmt(&all));) {
            Block only = {.stmts = {.at = &one, .n = 1, .cap = 1}};
            const Stmt *found = early_return(&only, last);
            if (found) return found;
        }
    }
    return NULL;
}

static bool ends_once(Sema *s, const Func *f, const Expr *call, const Block *body) {
    const Stmt *early = early_return(body, body->stmts.n ? body->stmts.at[body->stmts.n - 1] : NULL);
    if (!early) return true;
    Diag *d = diag(s->c, E0528, early->span, "`%s` has a barrier, so it can only return at its end", f->name);
    diag_note(s->c, d, early->span, "assign the result to a variable, and return that at the end");
    diag_note(s->c, d, call->span, "it is called here");
    return false;
}

static bool takes_names(Sema *s, const Func *f, const Expr *call) {
    for (int i = 0; i < call->call.args.n; i++) {
        const Arg *a = &call->call.args.at[i];
        if (a->mode == REF_NONE || a->value->kind == EXPR_NAME) continue;
        Diag *d = diag(s->c, E0528, a->span, "`%s` has a barrier, so it takes whole arrays and variables", f->name);
        diag_note(s->c, d, a->span, "pass the array, and the position as another argument");
        return false;
    }
    return true;
}

static bool calls_itself(Sema *s, const Func *f, const Expr *call) {
    for (const Inlining *at = s->inlining; at; at = at->outer) {
        if (at->callee != f) continue;
        diag(s->c, E0505, call->span, "`%s` leads to recursion, which is not possible on a device", f->name);
        return true;
    }
    return false;
}

/* The mistakes of a function are reported where it is checked by itself. */
static bool is_correct(Sema *s, Func *f) {
    Elsewhere here = elsewhere_enter(s, f->module);
    check_body(s, f);
    elsewhere_leave(s, here);
    return !f->facts->has_errors && !f->facts->skip;
}

/* Code ------------------------------------------------------------------------------------------------------------ */

static Stmt *stmt_new(Sema *s, StmtKind kind, Span span) {
    Stmt *st = arena_new(s->arena, Stmt);
    *st = (Stmt){.kind = kind, .span = span, .depth = 2};
    return st;
}

static Expr *name_new(Sema *s, Name name, Span span) {
    Expr *e = arena_new(s->arena, Expr);
    *e = (Expr){.kind = EXPR_NAME, .span = span, .depth = 1, .name = {.name = name}};
    return e;
}

static TypeExpr *type_new(Sema *s, Type *t, Span span) {
    TypeExpr *te = arena_new(s->arena, TypeExpr);
    *te = (TypeExpr){.kind = TE_NAME, .span = span, .depth = 1, .type = t, .known = true};
    te->name.name = name_of(&s->c->names, type_name(s->c, t));
    return te;
}

/* A variable of the kernel that the program does not name. */
static Symbol *variable(Sema *s, Name name, Span span, Type *t, Expr *init) {
    Symbol *sym = symbol_new(s, SYM_LOCAL, name, span, t);
    sym->init = init;
    sym->keyword = span;
    sym->used = sym->written = true;
    if (init) sym->konst = init->konst;
    vec_push(s->arena, &s->facts->locals, sym);
    return sym;
}

static Stmt *declare(Sema *s, Symbol *sym) {
    Stmt *st = stmt_new(s, STMT_LET, sym->span);
    st->let.is_var = sym->is_mutable;
    st->let.name = sym->name;
    st->let.name_span = sym->span;
    st->let.init = sym->init;
    st->let.sym = sym;
    if (!sym->init) st->let.type = type_new(s, sym->type, sym->span);
    return st;
}

static Expr *index_literal(Sema *s, int64_t value, Span span) {
    Expr *e = arena_new(s->arena, Expr);
    *e = (Expr){.kind = EXPR_INT, .span = span, .depth = 1, .type = s->index};
    e->konst = (Const){.kind = CONST_INT, .i = value};
    e->int_.value = (uint64_t)value;
    return e;
}

static Expr *plus(Sema *s, Expr *e, int64_t add) {
    if (!add) return e;
    Expr *sum = arena_new(s->arena, Expr);
    *sum = (Expr){.kind = EXPR_BINARY, .span = e->span, .depth = e->depth + 1, .type = s->index};
    sum->binary.op = add < 0 ? OP_SUB : OP_ADD;
    sum->binary.op_span = e->span;
    sum->binary.lhs = e;
    sum->binary.rhs = index_literal(s, add < 0 ? -add : add, e->span);
    return sum;
}

/* The extent that gives a size its value, plus `add`: a constant, a size of the kernel, or asked of the array. */
static Expr *extent_value(Sema *s, Symbol *array, int d, int64_t add, Span span) {
    const Shape *shape = array->kind == SYM_PARAM ? &s->func->shapes.at[array->dim] : NULL;
    const Symbol *size = shape && shape->at[d].kind != EXTENT_CONST ? shape->at[d].size : NULL;
    bool constant = shape ? shape->at[d].kind == EXTENT_CONST : array->dims[d].kind == DIM_CONST;
    if (size) {
        Expr *e = name_new(s, size->name, span);
        e->name.sym = (Symbol *)size;
        e->type = s->index;
        return plus(s, e, shape->at[d].value + add);
    }
    if (constant) return index_literal(s, (shape ? shape->at[d].value : array->dims[d].value) + add, span);
    Expr *of = name_new(s, array->name, span), *axis = index_literal(s, d, span), *call = arena_new(s->arena, Expr);
    of->name.sym = array;
    of->type = array->type;
    *call = (Expr){.kind = EXPR_CALL, .span = span, .depth = 2, .type = s->index};
    call->call.callee = name_new(s, s->builtin_name[BUILTIN_SHAPE], span);
    call->call.callee->type = s->nothing;
    call->call.info = arena_new(s->arena, CallInfo);
    *call->call.info = (CallInfo){.kind = CALL_BUILTIN, .builtin = BUILTIN_SHAPE};
    Arg args[2] = {{.value = of, .span = span}, {.value = axis, .span = span}};
    for (int i = 0; i < 2; i++) vec_push(s->arena, &call->call.args, args[i]);
    return plus(s, call, add);
}

/* Names of the function that stand for what the caller passes. */
typedef struct Stand {
    Name name;
    Symbol *sym;
} Stand;
typedef Vec(Stand) Stands;

/* Of a struct that owns arrays its fields are passed, and the struct is named through them. */
static void pass_owner(Sema *s, const Func *f, const Expr *call, const Symbol *owner, Stands *stands) {
    const Symbol *part = owner;
    int depth = 0;
    for (; part->n_parts; depth++) part = part->parts[0];
    for (int i = 0; i < f->n_given; i++) {
        if (f->params.at[i] != part) continue;
        const Expr *value = call->call.args.at[i].value;
        Symbol *given = value->kind == EXPR_NAME ? value->name.sym : NULL;
        for (int d = 0; d < depth && given; d++) given = given->part_of;
        if (given) vec_push(s->arena, stands, ((Stand){owner->name, given}));
    }
}

static void pass(Sema *s, const Func *f, const Expr *call, Block *block, Stands *stands) {
    const CallInfo *info = call->call.info;
    for (int i = 0; i < f->n_given; i++) {
        const Symbol *p = f->params.at[i];
        const Arg *a = &call->call.args.at[i];
        Symbol *sym;
        if (a->mode != REF_NONE) {
            sym = a->value->name.sym;
        } else {
            sym = variable(s, p->name, p->span, p->type, a->value);
            vec_push(s->arena, &block->stmts, declare(s, sym));
        }
        vec_push(s->arena, stands, ((Stand){p->name, sym}));
    }
    for (int i = 0; i < f->facts->owners.n; i++) pass_owner(s, f, call, f->facts->owners.at[i], stands);
    for (int k = 0; k < f->sizes.n && k < info->sizes.n; k++) {
        const Symbol *size = f->sizes.at[k];
        Symbol *array = call->call.args.at[info->sizes.at[k].arg].value->name.sym;
        Expr *e = extent_value(s, array, info->sizes.at[k].dim, -info->sizes.at[k].add, size->span);
        Symbol *sym = e->kind == EXPR_NAME ? e->name.sym : variable(s, size->name, size->span, s->index, e);
        if (sym->kind == SYM_LOCAL) vec_push(s->arena, &block->stmts, declare(s, sym));
        vec_push(s->arena, stands, ((Stand){size->name, sym}));
    }
}

/* `return e;` at the end becomes an assignment. */
static void end_with(Sema *s, Block *body, Symbol *result) {
    Stmt *last = body->stmts.n ? body->stmts.at[body->stmts.n - 1] : NULL;
    if (!last || last->kind != STMT_RETURN) return;
    if (!result || !last->return_.value) {
        body->stmts.n--;
        return;
    }
    Expr *value = last->return_.value;
    *last = (Stmt){.kind = STMT_ASSIGN, .span = last->span, .depth = last->depth};
    last->assign.target = name_new(s, result->name, last->span);
    last->assign.value = value;
    last->assign.op = OP_NONE;
    last->assign.op_span = last->span;
}

static bool rename(Expr *e, void *context) {
    (void)context;
    Symbol *sym = e->kind == EXPR_NAME ? e->name.sym : NULL;
    if (sym && sym->kind != SYM_FN && sym->func) e->name.name = sym->name;
    return false;
}

/* The tree is printed with the names of the kernel. */
static void rename_stmt(const Stmt *st) {
    Children all = stmt_children(st);
    for (Expr *e; (e = child_expr(&all));) expr_find(e, rename, NULL);
    for (Stmt *one; (one = child_stmt(&all));) rename_stmt(one);
}

/* The body is checked in the scope of the function's module, as part of the kernel. */
static void check_inlined(Sema *s, Func *f, Block *body, const Stands *stands) {
    Func *kernel = s->func;
    FuncFacts *facts = s->facts;
    Block *block = s->block;
    const Instance *inst = f->facts->instance;
    int locals = facts->locals.n;
    Elsewhere here = inst ? instance_enter(s, inst) : elsewhere_enter(s, f->module);
    s->func = kernel;
    s->facts = facts;
    s->block = block;
    scope_enter(s);
    for (int i = 0; i < stands->n; i++) scope_add_as(s, stands->at[i].name, stands->at[i].sym);
    check_block(s, body);
    scope_leave(s);
    if (inst) instance_leave(s, inst, here);
    else elsewhere_leave(s, here);
    for (int i = locals; i < facts->locals.n; i++) /* warnings are those of the function */
        facts->locals.at[i]->used = facts->locals.at[i]->written = true;
}

static void insert(Sema *s, Block *b, int at, Stmt *st) {
    vec_push(s->arena, &b->stmts, st);
    for (int i = b->stmts.n - 1; i > at; i--) b->stmts.at[i] = b->stmts.at[i - 1];
    b->stmts.at[at] = st;
}

/* The call has been checked like any other; what remains of it is that the extents must agree (shape.c). */
static CallSite *take_site(Sema *s, Func *f) {
    FuncFacts *facts = s->facts;
    CallSite *site = facts->calls.n ? facts->calls.at[facts->calls.n - 1] : NULL;
    if (!site || site->callee != f) return NULL;
    facts->calls.n--;
    f->facts->callers.n--;
    vec_push(s->arena, &facts->inlined, site);
    return site;
}

static bool check_inlinable(Sema *s, Func *f, const Expr *call) {
    if (calls_itself(s, f, call) || !is_correct(s, f) || !takes_names(s, f, call)) return false;
    return ends_once(s, f, call, f->item->fn.body);
}

int group_inline(Sema *s, Block *b, int i) {
    Expr **slot = s->functions_meet && s->func && s->func->group.items ? call_slot(b->stmts.at[i]) : NULL;
    if (!slot || !*slot || !calls_meeting(*slot, s)) return 0;
    Expr *call = *slot;
    const Expr *outer = s->inlined;
    s->inlined = call;
    Type *t = check_expr(s, slot);
    s->inlined = outer;
    Func *f = call->call.info && call->call.info->kind == CALL_FUNC ? call->call.info->func : NULL;
    bool is_value = b->stmts.at[i]->kind != STMT_EXPR && t->kind != TY_VOID;
    if (is_bad(t) || !f || !take_site(s, f) || !check_inlinable(s, f, call)) {
        *slot = name_new(s, s->underscore, call->span);
        (*slot)->kind = EXPR_ERROR;
        if (b->stmts.at[i]->kind == STMT_EXPR) *b->stmts.at[i] = (Stmt){.kind = STMT_ERROR, .span = call->span};
        return 0;
    }
    Stmt *whole = stmt_new(s, STMT_BLOCK, call->span);
    Block *block = whole->block.block = arena_new(s->arena, Block), *body;
    Stands stands = {0};
    Symbol *result = NULL;
    whole->block.inlined = call;
    block->span = call->span;
    pass(s, f, call, block, &stands);
    if (is_value) {
        Name name = name_of(&s->c->names, arena_printf(s->arena, "%s.result", f->item->name));
        result = variable(s, name, call->span, t, NULL);
        result->is_mutable = true;
        scope_add_as(s, name, result);
        vec_push(s->arena, &stands, ((Stand){name, result}));
    }
    body = ast_clone(s->c, text_of(f))->fn.body;
    end_with(s, body, result);
    Inlining now = {f, s->inlining};
    s->inlining = &now;
    check_inlined(s, f, body, &stands);
    s->inlining = now.outer;
    Stmt *inner = stmt_new(s, STMT_BLOCK, body->span);
    inner->block.block = body;
    inner->depth = body->depth + 1;
    rename_stmt(inner);
    vec_push(s->arena, &block->stmts, inner);
    block->depth = inner->depth + 1;
    whole->depth = block->depth + 1;
    if (!is_value) {
        b->stmts.at[i] = whole;
        return 1;
    }
    *slot = name_new(s, result->name, call->span);
    insert(s, b, i, declare(s, result));
    insert(s, b, i + 1, whole);
    return 2;
}
