/* array.c -- arrays: descriptors, element access with bounds checks, allocation and freeing. If sema says that the
 * extents of a symbol never change, its data pointer and extents are SSA values, made once; otherwise each access
 * reads them from the descriptor. */
#include "irgen/lang/lang.h"

#include <string.h>

/* Reaching an array ------------------------------------------------------------------------------------------------ */

CgArray cg_symbol_array(CgFunc *f, const Symbol *s) {
    if (s->table) return cg_constant_array(f, s);
    Slot *slot = &f->slots[s->id];
    if (slot->array.data) return slot->array;
    CgArray a = {.desc = slot->addr, .type = s->type, .name = s->name};
    a.data = cg_load_desc(f, slot->addr, s->type->rank, 0);
    for (int d = 0; d < s->type->rank; d++) a.ext[d] = cg_load_desc(f, slot->addr, s->type->rank, 1 + d);
    return a;
}

/* What a call has just made is read at once and freed by cg_free_made. */
CgArray cg_made_array(CgFunc *f, CgValue v) {
    CgArray a = {.type = v.type, .name = "the array"};
    a.data = LLVMBuildExtractValue(f->b, v.v, 0, "data");
    LLVMValueRef ext = LLVMBuildExtractValue(f->b, v.v, 1, "");
    for (int d = 0; d < v.type->rank; d++) a.ext[d] = LLVMBuildExtractValue(f->b, ext, (unsigned)d, "ext");
    return a;
}

void cg_free_made(CgFunc *f, const Expr *e, CgArray *a) {
    if (e->kind == EXPR_CALL) cg_call_runtime(f, RT_ARRAY_FREE, &a->data, 1);
}

void cg_take_back(CgFunc *f, const CgArray *a) {
    LLVMValueRef args[2] = {a->data, cg_array_bytes(f, a)};
    cg_call_runtime(f, RT_HOST_TAKES, args, 2);
}

/* For the timeline: what waits here for asynchronous launches, if there are any. As libomptarget writes places. */
LLVMValueRef cg_wait_place(CgFunc *f, Span span) {
    Cg *cg = f->cg;
    if (!cg->program->has_async || !span.hi) return LLVMConstNull(cg->ptr);
    Place p = cg_place(cg, span);
    const char *text = arena_printf(&cg->c->arena, ";%s;%s;%d;%d;;", p.file->path, f->func->name, p.line, p.col);
    return cg_string(cg, text, strlen(text));
}

/* Host code is about to read or write it: is the newest copy here? */
void cg_sync(CgFunc *f, const CgArray *a, Sync kind, Span span, int part) {
    static const RuntimeId ask[] = {
        [SYNC_READ] = RT_HOST_READS, [SYNC_WRITE] = RT_HOST_WRITES, [SYNC_FILL] = RT_HOST_FILLS};
    if (kind != SYNC_READ && kind != SYNC_WRITE && kind != SYNC_FILL) return; /* of a part: cg_sync_part */
    static const char *const names[] = {
        [SYNC_READ] = "sync-read", [SYNC_WRITE] = "sync-write", [SYNC_FILL] = "sync-fill"};
    if (cg_removes(f, names[kind], span, part)) return;
    LLVMValueRef args[3] = {a->data, cg_array_bytes(f, a), cg_wait_place(f, span)};
    cg_call_runtime(f, ask[kind], args, 3);
}

/* Only these bytes of the array that `name` names. */
void cg_sync_part(CgFunc *f, const Expr *name, LLVMValueRef at, LLVMValueRef n_bytes, bool reads) {
    LLVMValueRef place = cg_wait_place(f, name->span);
    bool peeks = name->sync == SYNC_PEEK || (name->sync == SYNC_UPDATE && reads);
    bool pokes = name->sync == SYNC_POKE || name->sync == SYNC_UPDATE;
    if (peeks && !cg_removes(f, "sync-peek", name->span, 0)) {
        LLVMValueRef args[4] = {at, n_bytes, cg_i32(f->cg, name->more), place};
        cg_call_runtime(f, RT_HOST_PEEKS, args, 4);
    }
    if (pokes && !cg_removes(f, "sync-poke", name->span, 0)) {
        LLVMValueRef args[3] = {at, n_bytes, place};
        cg_call_runtime(f, RT_HOST_POKES, args, 3);
    }
}

void cg_sync_before_loop(CgFunc *f, const SyncList *syncs, LLVMValueRef trips, Span loop) {
    if (!syncs->n) return;
    LLVMBasicBlockRef some = cg_block(f, "sync"), done = cg_block(f, "synced");
    LLVMBuildCondBr(f->b, LLVMBuildICmp(f->b, LLVMIntNE, trips, cg_i64(f->cg, 0), ""), some, done);
    cg_enter(f, some);
    for (int i = 0; i < syncs->n; i++) {
        CgArray a = cg_symbol_array(f, syncs->at[i].array);
        cg_sync(f, &a, syncs->at[i].kind, loop, i);
    }
    cg_goto(f, done);
    cg_enter(f, done);
}

CgArray cg_array(CgFunc *f, Expr *e) {
    if (e->kind == EXPR_NAME) {
        CgArray a = cg_symbol_array(f, e->name.sym);
        cg_sync(f, &a, e->sync, e->span, 0);
        return a;
    }
    if (expr_fixed_field(e)) return cg_field_array(f, e);
    if (expr_is_slice(e)) {
        CgBounds b = cg_slice_bounds(f, e);
        return cg_slice(f, e, &b);
    }
    CgArray made = cg_made_array(f, cg_expr(f, e));
    made.name = expr_made_name(&f->cg->c->arena, e);
    cg_sync(f, &made, e->sync, e->span, 1);
    return made;
}

/* The descriptor's address, for a callee; made on the spot where the array has none. */
LLVMValueRef cg_array_desc(CgFunc *f, const CgArray *a) {
    if (a->desc) return a->desc;
    LLVMValueRef desc = cg_alloca(f, cg_desc_type(f->cg, a->type->rank), "desc");
    cg_store_desc(f, desc, a->type->rank, 0, a->data);
    for (int d = 0; d < a->type->rank; d++) cg_store_desc(f, desc, a->type->rank, 1 + d, a->ext[d]);
    return desc;
}

CgValue cg_array_value(CgFunc *f, const CgArray *a) {
    int rank = a->type->rank;
    LLVMValueRef ext = LLVMGetPoison(LLVMArrayType2(f->cg->i64, (uint64_t)rank));
    for (int d = 0; d < rank; d++) ext = LLVMBuildInsertValue(f->b, ext, a->ext[d], (unsigned)d, "");
    LLVMValueRef v = LLVMGetPoison(cg_desc_type(f->cg, rank));
    v = LLVMBuildInsertValue(f->b, v, a->data, 0, "");
    return cg_value(LLVMBuildInsertValue(f->b, v, ext, 1, ""), a->type);
}

void cg_store_array(CgFunc *f, LLVMValueRef desc, CgValue array) {
    int rank = array.type->rank;
    cg_store_desc(f, desc, rank, 0, LLVMBuildExtractValue(f->b, array.v, 0, ""));
    LLVMValueRef ext = LLVMBuildExtractValue(f->b, array.v, 1, "");
    for (int d = 0; d < rank; d++)
        cg_store_desc(f, desc, rank, 1 + d, LLVMBuildExtractValue(f->b, ext, (unsigned)d, ""));
}

LLVMValueRef cg_array_count(CgFunc *f, const CgArray *a) {
    LLVMValueRef n = a->ext[0];
    for (int d = 1; d < a->type->rank; d++) n = LLVMBuildMul(f->b, n, a->ext[d], "count");
    return n;
}

LLVMValueRef cg_array_bytes(CgFunc *f, const CgArray *a) {
    return LLVMBuildMul(f->b, cg_array_count(f, a), cg_i64(f->cg, cg_size(a->type->elem)), "bytes");
}

/* Extents as the runtime reads them. Two at a time at most: `which`. */
LLVMValueRef cg_extents_in_memory(CgFunc *f, int which, const CgArray *a) {
    LLVMTypeRef t = LLVMArrayType2(f->cg->i64, MAX_RANK);
    if (!f->scratch_extents[which]) f->scratch_extents[which] = cg_alloca(f, t, "extents");
    for (int d = 0; d < a->type->rank; d++) {
        LLVMValueRef at[2] = {cg_i32(f->cg, 0), cg_i32(f->cg, d)};
        LLVMBuildStore(f->b, a->ext[d], LLVMBuildInBoundsGEP2(f->b, t, f->scratch_extents[which], at, 2, ""));
    }
    return f->scratch_extents[which];
}

/* What C gets of an array in a generic function: KdslArray of runtime.h. */
LLVMValueRef cg_described_array(CgFunc *f, const CgArray *a) {
    Cg *cg = f->cg;
    const Type *elem = a->type->elem;
    LLVMTypeRef fields[5] = {cg->ptr, cg->ptr, cg->i64, cg->i64, LLVMArrayType2(cg->i64, MAX_RANK)};
    LLVMTypeRef t = LLVMStructTypeInContext(cg->ctx, fields, 5, false);
    LLVMValueRef at = cg_alloca(f, t, "described");
    const char *name = type_name(cg->c, elem);
    LLVMValueRef values[4] = {a->data, cg_string(cg, name, strlen(name)), cg_i64(cg, cg_size(elem)),
                              cg_i64(cg, a->type->rank)};
    for (unsigned i = 0; i < 4; i++) LLVMBuildStore(f->b, values[i], LLVMBuildStructGEP2(f->b, t, at, i, ""));
    for (int d = 0; d < a->type->rank; d++) {
        LLVMValueRef way[3] = {cg_i32(cg, 0), cg_i32(cg, 4), cg_i32(cg, d)};
        LLVMBuildStore(f->b, a->ext[d], LLVMBuildInBoundsGEP2(f->b, t, at, way, 3, ""));
    }
    return at;
}

/* Elements --------------------------------------------------------------------------------------------------------- */

static bool known_inside(LLVMValueRef at, LLVMValueRef ext) {
    if (!LLVMIsAConstantInt(at) || !LLVMIsAConstantInt(ext)) return false;
    return LLVMConstIntGetZExtValue(at) < LLVMConstIntGetZExtValue(ext);
}

void cg_check_index(CgFunc *f, const CgArray *a, LLVMValueRef at, int d, Span span, int site) {
    if (known_inside(at, a->ext[d]) || !cg_can_report(f, site)) return;
    LLVMBasicBlockRef ok;
    cg_cold(f, cg_unless_removed(f, "index", span, d, LLVMBuildICmp(f->b, LLVMIntUGE, at, a->ext[d], "")), &ok);
    if (f->error_slot) {
        cg_report(f, site, (CgFailure){.value = at, .other = cg_i64(f->cg, INT64_MIN), .dim = d, .array = a});
        cg_enter(f, ok);
        return;
    }
    LLVMValueRef args[6] = {cg_place_string(f->cg, span),
                            cg_string(f->cg, a->name, strlen(a->name)),
                            at,
                            cg_i64(f->cg, d),
                            cg_i64(f->cg, a->type->rank),
                            cg_extents_in_memory(f, 0, a)};
    cg_call_runtime(f, RT_FAIL_INDEX, args, 6);
    cg_enter(f, ok);
}

/* Of an extent: it does not overflow. */
LLVMValueRef cg_plus(CgFunc *f, LLVMValueRef extent, int64_t add) {
    return add ? LLVMBuildNSWAdd(f->b, extent, cg_i64(f->cg, add), "") : extent;
}

/* Row-major offset. In bounds it cannot overflow, so the instructions have nsw flags. */
static LLVMValueRef offset(CgFunc *f, const CgArray *a, const CgValue *at) {
    LLVMValueRef sum = at[0].v;
    for (int d = 1; d < a->type->rank; d++) {
        LLVMValueRef row = LLVMBuildNSWMul(f->b, sum, a->ext[d], "");
        sum = LLVMBuildNSWAdd(f->b, row, at[d].v, "");
    }
    return sum;
}

static LLVMValueRef no_wrap(LLVMValueRef v) {
    if (LLVMIsABinaryOperator(v)) LLVMSetNSW(v, true), LLVMSetNUW(v, true);
    return v;
}

/* The same in 32 bits, which are enough for every offset in bounds. */
static LLVMValueRef narrow_offset(CgFunc *f, const CgArray *a, const CgValue *at) {
    LLVMTypeRef i32 = f->cg->i32;
    LLVMValueRef sum = LLVMBuildTrunc(f->b, at[0].v, i32, "");
    for (int d = 1; d < a->type->rank; d++) {
        sum = no_wrap(LLVMBuildMul(f->b, sum, LLVMBuildTrunc(f->b, a->ext[d], i32, ""), ""));
        sum = no_wrap(LLVMBuildAdd(f->b, sum, LLVMBuildTrunc(f->b, at[d].v, i32, ""), ""));
    }
    sum = LLVMBuildZExt(f->b, sum, f->cg->i64, "");
    if (LLVMIsAZExtInst(sum)) LLVMSetNNeg(sum, true);
    return sum;
}

CgPlace cg_element(CgFunc *f, const CgArray *a, CgValue *at, Span span) {
    Type *index = cg_scalar(f->cg, TY_INDEX);
    CgCheck check = f->check;
    f->check = (CgCheck){0};
    for (int d = 0; d < a->type->rank; d++) {
        at[d] = cg_convert(f, at[d], index);
        if (!(check.proven >> d & 1)) cg_check_index(f, a, at[d].v, d, span, check.site);
    }
    LLVMValueRef off = f->narrow ? narrow_offset(f, a, at) : offset(f, a, at);
    if (a->step) off = LLVMBuildNSWMul(f->b, off, cg_i64(f->cg, a->step), "");
    LLVMValueRef p = LLVMBuildInBoundsGEP2(f->b, cg_type_mem(f->cg, a->type->elem), a->data, &off, 1, "");
    return (CgPlace){p, a->type->elem, !a->in_variable, a->whole, 0};
}

/* Making arrays ---------------------------------------------------------------------------------------------------- */

static CgArray allocate(CgFunc *f, RuntimeId how, Type *type, LLVMValueRef *ext, Span span) {
    CgArray a = {.type = type, .name = "the array"};
    for (int d = 0; d < type->rank; d++) a.ext[d] = ext[d];
    LLVMValueRef args[4] = {cg_i64(f->cg, cg_size(type->elem)), cg_i64(f->cg, type->rank),
                            cg_extents_in_memory(f, 0, &a), cg_place_string(f->cg, span)};
    a.data = cg_call_runtime(f, how, args, 4);
    LLVMAddCallSiteAttribute(a.data, LLVMAttributeReturnIndex, cg_attr(f->cg, "align", 64));
    return a;
}

CgArray cg_array_new(CgFunc *f, Type *type, LLVMValueRef *ext, Span span) {
    return allocate(f, RT_ARRAY_NEW, type, ext, span);
}

CgArray cg_array_zero(CgFunc *f, Type *type, LLVMValueRef *ext, Span span) {
    return allocate(f, RT_ARRAY_ZERO, type, ext, span);
}

static void store_at(CgFunc *f, const CgArray *a, LLVMValueRef position, CgValue v) {
    LLVMValueRef p = LLVMBuildInBoundsGEP2(f->b, cg_type_mem(f->cg, a->type->elem), a->data, &position, 1, "");
    cg_store(f, (CgPlace){p, a->type->elem, true, NULL, 0}, cg_convert(f, v, a->type->elem));
}

/* The new value of an element: a value or, for a struct with arrays in it, the address of its bytes. */
typedef struct Given {
    CgValue v;
    LLVMValueRef made;
} Given;

static Given given(CgFunc *f, Expr *e, const Type *elem) {
    if (cg_by_bytes(elem)) return (Given){.made = cg_struct_made(f, e)};
    return (Given){.v = cg_expr(f, e)};
}

static void give(CgFunc *f, const CgArray *a, LLVMValueRef position, Given g) {
    if (!g.made) {
        store_at(f, a, position, g.v);
        return;
    }
    LLVMValueRef p = LLVMBuildInBoundsGEP2(f->b, cg_type_mem(f->cg, a->type->elem), a->data, &position, 1, "");
    cg_struct_store(f, p, g.made, a->type->elem);
}

enum { WRITTEN_OUT = 64 }; /* elements: few enough to store them one by one */

static void fill(CgFunc *f, const CgArray *a, Given v) {
    LLVMValueRef count = cg_array_count(f, a);
    if (LLVMIsAConstantInt(count) && LLVMConstIntGetZExtValue(count) <= WRITTEN_OUT) {
        int64_t n = (int64_t)LLVMConstIntGetZExtValue(count);
        for (int64_t i = 0; i < n; i++) give(f, a, cg_i64(f->cg, i), v);
        return;
    }
    Axis all = cg_axis_upto(f, count);
    CgLoop l = cg_loop_begin(f, &all);
    give(f, a, l.i.v, v);
    cg_loop_end(f, &l);
}

/* All bytes are zero, which minus zero's are not. */
static bool is_zero(CgFunc *f, Given g, Type *elem) {
    if (g.made) return false;
    LLVMValueRef v = cg_convert(f, g.v, elem).v;
    return LLVMIsConstant(v) && LLVMIsNull(v);
}

/* At -O0 a debugger shows what the source says; and checks of reads know what has been written by what is filled. */
static bool needs_no_values(const CgFunc *f, const Expr *e) {
    return e->fill.is_dead && f->cg->options->opt_level > 0 && !f->cg->shadows;
}

CgValue cg_fill(CgFunc *f, Expr *e) {
    Given v = given(f, e->fill.value, e->type->elem);
    LLVMValueRef ext[MAX_RANK];
    for (int d = 0; d < e->type->rank; d++) ext[d] = cg_index_value(f, cg_expr(f, e->fill.extents.at[d]));
    cg_debug_at(f, e->span);
    bool none = needs_no_values(f, e), zero = !none && is_zero(f, v, e->type->elem);
    CgArray a = (zero ? cg_array_zero : cg_array_new)(f, e->type, ext, e->span);
    if (!zero && !none) fill(f, &a, v);
    return cg_array_value(f, &a);
}

/* A list of constants is copied from a table: tables of data make short functions. NULL: not all are constant. */
static LLVMValueRef constant_table(CgFunc *f, Expr *e) {
    Cg *cg = f->cg;
    int n = e->list.items.n;
    Type *elem = e->type->elem;
    for (int i = 0; i < n; i++) {
        const Expr *item = e->list.items.at[i];
        if (item->konst.kind == CONST_NONE || item->type != elem) return NULL;
    }
    LLVMTypeRef t = cg_type_mem(cg, elem);
    LLVMValueRef *items = arena_array(&cg->c->arena, LLVMValueRef, n + 1);
    for (int i = 0; i < n; i++) {
        const Const *k = &e->list.items.at[i]->konst;
        if (k->kind == CONST_STR) return NULL;
        items[i] = elem->kind == TY_BOOL ? LLVMConstInt(t, k->i != 0, false) : cg_const(cg, k, elem).v;
    }
    LLVMValueRef value = LLVMConstArray2(t, items, (uint64_t)n);
    LLVMValueRef table = LLVMAddGlobal(cg->module, LLVMTypeOf(value), "list");
    LLVMSetInitializer(table, value);
    LLVMSetLinkage(table, LLVMPrivateLinkage);
    LLVMSetUnnamedAddress(table, LLVMGlobalUnnamedAddr);
    LLVMSetGlobalConstant(table, true);
    return table;
}

static void list(CgFunc *f, Expr *e, const CgArray *a) {
    LLVMValueRef table = constant_table(f, e);
    if (table) {
        unsigned align = (unsigned)cg_align(e->type->elem);
        LLVMBuildMemCpy(f->b, a->data, align, table, align, cg_array_bytes(f, a));
        return;
    }
    for (int i = 0; i < e->list.items.n; i++)
        give(f, a, cg_i64(f->cg, i), given(f, e->list.items.at[i], a->type->elem));
}

CgValue cg_list(CgFunc *f, Expr *e) {
    LLVMValueRef ext[MAX_RANK];
    for (int d = 0; d < e->type->rank; d++) ext[d] = cg_i64(f->cg, list_extent(e, d));
    CgArray a = cg_array_new(f, e->type, ext, e->span);
    list(f, e, &a);
    return cg_array_value(f, &a);
}

/* The loops over the axes, the last innermost. */
static void comprehend(CgFunc *f, Expr *e, Axis *axes, LLVMValueRef *ext, const CgArray *a, bool unroll) {
    int rank = e->comprehend.binders.n;
    LLVMValueRef position = cg_i64(f->cg, 0);
    CgLoop loops[MAX_RANK];
    for (int d = 0; d < rank; d++) {
        loops[d] = cg_loop_begin(f, &axes[d]);
        bool is_known = unroll && LLVMIsAConstantInt(ext[d]);
        loops[d].copies = is_known ? LLVMConstIntGetSExtValue(ext[d]) : 0;
        const Symbol *sym = e->comprehend.binders.at[d].sym;
        f->slots[sym->id].value = loops[d].i.v;
        cg_debug_value(f, sym, loops[d].i.v, 0);
        LLVMValueRef row = LLVMBuildNSWMul(f->b, position, ext[d], "");
        position = LLVMBuildNSWAdd(f->b, row, cg_loop_position(f, &loops[d]), "");
    }
    give(f, a, position, given(f, e->comprehend.value, a->type->elem));
    for (int d = rank; d-- > 0;) cg_loop_end(f, &loops[d]);
}

/* The bounds of all axes come first, then the memory, then the loops. */
CgValue cg_comprehend(CgFunc *f, Expr *e) {
    int rank = e->comprehend.binders.n;
    Axis axes[MAX_RANK];
    LLVMValueRef ext[MAX_RANK];
    for (int d = 0; d < rank; d++) {
        const Range *r = &e->comprehend.binders.at[d].range;
        axes[d] = cg_axis(f, r);
        ext[d] = range_is_extent(r) ? cg_index_value(f, axes[d].hi) : cg_axis_trips(f, &axes[d]);
    }
    const Const *each = &e->comprehend.value->konst;
    CgValue v = each->kind == CONST_NONE || each->kind == CONST_STR ? (CgValue){0} : cg_expr(f, e->comprehend.value);
    if (v.v && is_zero(f, (Given){.v = v}, e->type->elem)) {
        CgArray zeros = cg_array_zero(f, e->type, ext, e->span);
        return cg_array_value(f, &zeros);
    }
    CgArray a = cg_array_new(f, e->type, ext, e->span);
    if (e->comprehend.syncs.n) cg_sync_before_loop(f, &e->comprehend.syncs, cg_array_count(f, &a), e->span);
    comprehend(f, e, axes, ext, &a, false);
    return cg_array_value(f, &a);
}

/* Stores the array that `e` makes or names in existing memory of the same extents: of a variable, or of a field of a
 * struct. */
void cg_array_into(CgFunc *f, Expr *e, const CgArray *to) {
    if (e->kind == EXPR_FILL) {
        Given v = given(f, e->fill.value, to->type->elem);
        if (!needs_no_values(f, e)) fill(f, to, v);
        return;
    }
    if (e->kind == EXPR_LIST) {
        list(f, e, to);
        return;
    }
    if (e->kind == EXPR_COMPREHEND) {
        Axis axes[MAX_RANK];
        LLVMValueRef ext[MAX_RANK];
        for (int d = 0; d < e->comprehend.binders.n; d++) {
            axes[d] = cg_axis(f, &e->comprehend.binders.at[d].range);
            ext[d] = cg_axis_trips(f, &axes[d]);
        }
        LLVMValueRef count = cg_array_count(f, to);
        cg_sync_before_loop(f, &e->comprehend.syncs, count, e->span);
        bool few = LLVMIsAConstantInt(count) && LLVMConstIntGetZExtValue(count) <= WRITTEN_OUT;
        comprehend(f, e, axes, ext, to, few);
        return;
    }
    bool is_copy = e->kind == EXPR_CALL && e->call.info->kind == CALL_BUILTIN && e->call.info->builtin == BUILTIN_COPY;
    Expr *named = is_copy ? e->call.args.at[0].value : e;
    CgArray from = cg_array(f, named);
    cg_touch_bytes(f, TOUCH_READ, named->touch, from.data, cg_array_bytes(f, &from));
    unsigned align = (unsigned)cg_align(to->type->elem);
    LLVMBuildMemCpy(f->b, to->data, align, from.data, align, cg_array_bytes(f, to));
    if (!is_copy) cg_free_made(f, e, &from);
}

CgValue cg_copy(CgFunc *f, const CgArray *a, Span span) {
    LLVMValueRef ext[MAX_RANK];
    memcpy(ext, a->ext, sizeof ext);
    CgArray b = cg_array_new(f, a->type, ext, span);
    unsigned align = (unsigned)cg_align(a->type->elem);
    LLVMBuildMemCpy(f->b, b.data, align, a->data, align, cg_array_bytes(f, a));
    return cg_array_value(f, &b);
}

/* Freeing arrays --------------------------------------------------------------------------------------------------- */

void cg_drop(CgFunc *f, const Symbol *s) {
    LLVMValueRef data = cg_load_desc(f, f->slots[s->id].addr, s->type->rank, 0);
    cg_call_runtime(f, RT_ARRAY_FREE, &data, 1);
}
