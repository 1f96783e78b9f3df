/* ast_dump_item.c -- pretty printer of the tree: statements, items, modules. See ast_dump.c. */
#include "parser/dump.h"

static void dump_block(Dump *d, const Block *b);
static void dump_stmt(Dump *d, const Stmt *s);

static void new_line(Dump *d) { buf_printf(d->out, "\n%*s", 4 * d->indent, ""); }

/* `: T` as in the source, or with types the inferred type. */
static void dump_declared_type(Dump *d, const TypeExpr *written, const Expr *init) {
    if (written) {
        buf_puts(d->out, ": ");
        dump_type(d, written);
    } else if (d->type_text && init && init->type) {
        buf_printf(d->out, ": %s", d->type_text(d->c, init->type));
    }
}

static void dump_initial(Dump *d, const Expr *e) {
    if (!e) return;
    buf_puts(d->out, " = ");
    dump_expr(d, e);
}

/* ---- statements ---- */

static void dump_block(Dump *d, const Block *b) {
    buf_putc(d->out, '{');
    d->indent++;
    for (int i = 0; i < b->stmts.n; i++) {
        new_line(d);
        dump_stmt(d, b->stmts.at[i]);
    }
    d->indent--;
    if (b->stmts.n) new_line(d);
    buf_putc(d->out, '}');
}

static void dump_if_stmt(Dump *d, const Stmt *s) {
    for (;;) { /* else-if chains are printed without nesting */
        buf_puts(d->out, "if ");
        dump_expr(d, s->if_.cond);
        buf_putc(d->out, ' ');
        dump_block(d, s->if_.then_);
        s = s->if_.else_;
        if (!s) return;
        buf_puts(d->out, " else ");
        if (s->kind == STMT_IF) continue;
        dump_stmt(d, s);
        return;
    }
}

static void dump_assign(Dump *d, const Stmt *s) {
    dump_expr(d, s->assign.target);
    bool is_update = s->assign.op != OP_NONE || s->assign.is_min || s->assign.is_max;
    buf_printf(d->out, " %s ", is_update ? dump_update_text(d, s->assign.op, s->assign.is_min, s->assign.is_max) : "=");
    dump_expr(d, s->assign.value);
    dump_fused(d, s->assign.fused);
}

static void dump_assert(Dump *d, const Stmt *s) {
    buf_puts(d->out, "assert ");
    dump_expr(d, s->assert_.cond);
    if (!s->assert_.format) return;
    buf_puts(d->out, ", ");
    dump_expr(d, s->assert_.format);
    if (!s->assert_.args.n) return;
    buf_puts(d->out, ", ");
    dump_args(d, s->assert_.args);
}

static void dump_for(Dump *d, const Stmt *s) {
    BinderList one = {.n = 1};
    Binder binder = s->for_.binder;
    one.at = &binder;
    buf_puts(d->out, "for ");
    dump_binders(d, one);
    buf_putc(d->out, ' ');
    dump_block(d, s->for_.body);
}

/* Statements that end with a block have no `;`. */
static void dump_stmt(Dump *d, const Stmt *s) {
    switch (s->kind) {
    case STMT_ERROR: buf_puts(d->out, "/* error */"); return;
    case STMT_LET:
        buf_printf(d->out, "%s %s", s->let.is_var ? "var" : "let", s->let.name);
        dump_declared_type(d, s->let.type, s->let.init);
        dump_initial(d, s->let.init);
        break;
    case STMT_ASSIGN: dump_assign(d, s); break;
    case STMT_ATOMIC: dump_expr(d, s->atomic.atomic); break;
    case STMT_EXPR: dump_expr(d, s->expr.expr); break;
    case STMT_IF: dump_if_stmt(d, s); return;
    case STMT_FOR: dump_for(d, s); return;
    case STMT_WHILE:
        buf_puts(d->out, "while ");
        dump_expr(d, s->while_.cond);
        buf_putc(d->out, ' ');
        dump_block(d, s->while_.body);
        return;
    case STMT_BREAK: buf_puts(d->out, "break"); break;
    case STMT_CONTINUE: buf_puts(d->out, "continue"); break;
    case STMT_RETURN:
        buf_puts(d->out, s->return_.value ? "return " : "return");
        if (s->return_.value) dump_expr(d, s->return_.value);
        break;
    case STMT_ASSERT: dump_assert(d, s); break;
    case STMT_BLOCK: dump_block(d, s->block.block); return;
    case STMT_SHARED:
        buf_printf(d->out, "shared %s: ", s->shared.name);
        dump_type(d, s->shared.type);
        break;
    case STMT_BARRIER: buf_puts(d->out, "barrier"); break;
    case STMT_WAIT: buf_puts(d->out, "wait"); break;
    case STMT_RESIDENT:
        buf_puts(d->out, "offload resident ");
        dump_block(d, s->block.block);
        return;
    case STMT__COUNT: break;
    }
    buf_putc(d->out, ';');
}

/* ---- items ---- */

static void dump_generics(Dump *d, GenericList list) {
    for (int i = 0; i < list.n; i++) {
        buf_printf(d->out, "%s%s", i ? ", " : "<", list.at[i].name);
        if (list.at[i].constraint) buf_printf(d->out, ": %s", list.at[i].constraint);
    }
    if (list.n) buf_putc(d->out, '>');
}

static void dump_params(Dump *d, ParamList list) {
    buf_putc(d->out, '(');
    for (int i = 0; i < list.n; i++) {
        buf_printf(d->out, "%s%s: ", i ? ", " : "", list.at[i].name);
        dump_type(d, list.at[i].type);
    }
    buf_putc(d->out, ')');
}

static void dump_result(Dump *d, const Item *i) {
    if (!i->fn.result && !i->fn.reduce) return;
    buf_puts(d->out, " ->");
    if (i->fn.reduce) buf_printf(d->out, " %s", i->fn.reduce);
    if (!i->fn.result) return;
    buf_putc(d->out, ' ');
    dump_type(d, i->fn.result);
}

static void dump_function(Dump *d, const Item *i) {
    if (i->fn.is_export) buf_puts(d->out, "export ");
    if (i->fn.is_extern) buf_puts(d->out, "extern \"C\" ");
    buf_printf(d->out, "%s %s", i->kind == ITEM_KERNEL ? "kernel" : "fn", i->name);
    dump_generics(d, i->fn.generics);
    dump_params(d, i->fn.params);
    if (i->kind == ITEM_KERNEL) {
        buf_puts(d->out, i->fn.fast_span.hi ? " fast over " : " over ");
        dump_binders(d, i->fn.over);
    }
    for (int k = 0; k < i->fn.assumes.n; k++)
        buf_printf(d->out, "%s %s(%s)", k ? "," : " assume", i->fn.assumes.at[k].word, i->fn.assumes.at[k].array);
    dump_result(d, i);
    if (!i->fn.body) {
        buf_putc(d->out, ';');
        return;
    }
    buf_putc(d->out, ' ');
    dump_block(d, i->fn.body);
}

/* The instances of a generic, only with types. */
static void dump_instances(Dump *d, const Item *i) {
    for (int k = 0; d->type_text && k < i->fn.instances.n; k++) {
        const Item *copy = i->fn.instances.at[k];
        buf_printf(d->out, "\n\n/* %s */\n", copy->fn.bound);
        dump_function(d, copy);
    }
}

static void dump_struct(Dump *d, const Item *i) {
    if (i->struct_.is_extern) {
        buf_printf(d->out, "extern \"C\" struct %s;", i->name);
        return;
    }
    buf_printf(d->out, "struct %s", i->name);
    dump_generics(d, i->struct_.generics);
    buf_puts(d->out, " {");
    for (int k = 0; k < i->struct_.fields.n; k++) {
        const Field *field = &i->struct_.fields.at[k];
        buf_printf(d->out, "\n    %s: ", field->name);
        dump_type(d, field->type);
        buf_putc(d->out, ',');
    }
    buf_puts(d->out, i->struct_.fields.n ? "\n}" : "}");
}

static void dump_item(Dump *d, const Item *i) {
    switch (i->kind) {
    case ITEM_ERROR: buf_puts(d->out, "/* error */"); break;
    case ITEM_FN: case ITEM_KERNEL: dump_function(d, i); dump_instances(d, i); break;
    case ITEM_STRUCT: dump_struct(d, i); break;
    case ITEM_CONST:
        buf_printf(d->out, "const %s", i->name);
        dump_declared_type(d, i->const_.type, i->const_.value);
        dump_initial(d, i->const_.value);
        buf_putc(d->out, ';');
        break;
    case ITEM_IMPORT:
        for (int k = 0; k < i->import.path.n; k++)
            buf_printf(d->out, "%s%s", k ? "." : "import ", i->import.path.at[k]);
        buf_putc(d->out, ';');
        break;
    case ITEM_TEST:
        buf_puts(d->out, "test ");
        dump_string(d, i->name, __builtin_strlen(i->name));
        buf_putc(d->out, ' ');
        dump_block(d, i->test.body);
        break;
    case ITEM__COUNT: break;
    }
    buf_putc(d->out, '\n');
}

void ast_dump(Compiler *c, const Module *m, bool types, Buf *out) {
    Dump d = {.c = c, .out = out, .type_text = types ? m->type_text : NULL};
    for (int i = 0; i < m->items.n; i++) {
        bool blank = i && !(m->items.at[i]->kind == m->items.at[i - 1]->kind
                            && (m->items.at[i]->kind == ITEM_CONST || m->items.at[i]->kind == ITEM_IMPORT));
        if (blank) buf_putc(out, '\n');
        dump_item(&d, m->items.at[i]);
    }
}
